import type { NoticeItem } from '@farhand/story/items/story'
import { memo } from 'react'
import { type LongProps, LongText } from '../../output/long-text.tsx'
import { plainOutput } from '../../output/plain-output.ts'
import { Icon } from '../../ui/icon.tsx'
import css from './notice-view.module.css'

/** A warning, an error, or a message of the hub. */
export const NoticeView = memo(function NoticeView({ item, openSections, fetchBlob }: LongProps<NoticeItem>) {
  return (
    <div className={`${css.notice} ${css[item.level]}`} role={item.level === 'error' ? 'alert' : 'note'}>
      <Icon name={item.level === 'info' ? 'info' : 'warning'} size={17} />
      <div className={css.text}>
        <LongText {...{ item, openSections, fetchBlob }}>
          {(text) => <p dir="auto">{item.until === null ? plainOutput(text) : limitInWords(item.until)}</p>}
        </LongText>
      </div>
    </div>
  )
})

/** In the time zone of the browser; the log has UTC. */
const limitInWords = (until: string) =>
  `The agent's provider has a rate limit. The agent goes on at ${new Date(until).toLocaleTimeString([], { timeStyle: 'medium' })}.`
