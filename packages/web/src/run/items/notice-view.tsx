import { memo } from 'react'
import { Icon } from '../../look/icon.tsx'
import type { NoticeItem } from '../../story/story.ts'
import { plainOutput } from '../plain-output.ts'
import css from './notice-view.module.css'

/** Something that somebody should know: a warning, an error, a word of the hub. */
export const NoticeView = memo(function NoticeView({ item }: { item: NoticeItem }) {
  return (
    <div className={`${css.notice} ${css[item.level]}`} role={item.level === 'error' ? 'alert' : 'note'}>
      <Icon name={item.level === 'info' ? 'info' : 'warning'} size={17} />
      <p>{plainOutput(item.text)}</p>
    </div>
  )
})
