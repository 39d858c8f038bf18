import { memo } from 'react'
import { Icon } from '../../look/icon.tsx'
import type { NoticeItem } from '../../story/story.ts'
import type { Folds } from '../folds.ts'
import { plainOutput } from '../plain-output.ts'
import { LongText } from './long-text.tsx'
import css from './notice-view.module.css'

type Props = { item: NoticeItem; folds: Folds; onWhole: (hash: string) => Promise<Uint8Array> }

/** Something that somebody should know: a warning, an error, a word of the hub. */
export const NoticeView = memo(function NoticeView({ item, folds, onWhole }: Props) {
  return (
    <div className={`${css.notice} ${css[item.level]}`} role={item.level === 'error' ? 'alert' : 'note'}>
      <Icon name={item.level === 'info' ? 'info' : 'warning'} size={17} />
      <div className={css.text}>
        <LongText {...{ item, folds, onWhole }}>{(text) => <p>{plainOutput(text)}</p>}</LongText>
      </div>
    </div>
  )
})
