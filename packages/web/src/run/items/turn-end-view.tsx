import { plainText } from '@farhand/protocol/text/plain-text'
import type { TurnEndItem } from '@farhand/story/items/story'
import { durationBetween } from '@farhand/story/wording/duration-in-words'
import { turnEndInWords } from '@farhand/story/wording/turn-end-in-words'
import { usageInWords } from '@farhand/story/wording/usage-in-words'
import { memo } from 'react'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { timeTitle } from '../../ui/time-title.ts'
import css from './turn-end-view.module.css'

type Props = {
  item: TurnEndItem
  /** Only for the newest turn. */
  actions?: { onRetry: (messageId: number) => void; onChange: (messageId: number) => void }
}

/** The line under a turn: result, duration and cost; after a failure also the reason and a retry button. */
export const TurnEndView = memo(function TurnEndView({ item, actions }: Props) {
  const { words, tone } = turnEndInWords(item)
  const said = [
    `${words} after ${durationBetween(item.startedAt, item.at)}`,
    ...(item.usage ? usageInWords(item.usage) : []),
  ]
  return (
    <>
      {(item.error !== null || actions) && (
        <div className={`${css.failure} ${css[tone] ?? ''}`} role="note">
          {item.error !== null && (
            <p className={css.why} dir="auto">
              {plainText(item.error)}
            </p>
          )}
          {actions && (
            <span className={css.actions}>
              <Button isSmall isGuarded icon="refresh" onClick={() => actions.onRetry(item.messageId)}>
                Retry
              </Button>
              <Button isSmall icon="edit" onClick={() => actions.onChange(item.messageId)}>
                Edit and resend
              </Button>
            </span>
          )}
        </div>
      )}
      <div className={css.end} {...timeTitle(item.at)}>
        <span className={css[tone]}>
          <Icon name={tone === 'good' ? 'check' : tone === 'plain' ? 'stop' : 'warning'} size={14} />
          <span dir="auto">{said.join(' · ')}</span>
        </span>
      </div>
    </>
  )
})
