import { memo } from 'react'
import { Icon } from '../../look/icon.tsx'
import { timeTitle } from '../../look/time-title.ts'
import type { TurnEndItem } from '../../story/story.ts'
import { spanBetween } from '../span-in-words.ts'
import { turnEndInWords } from '../turn-end-in-words.ts'
import { usageInWords } from '../usage-in-words.ts'
import css from './turn-end-view.module.css'

/** The line under a turn: how it ended, how long it took, what it cost. */
export const TurnEndView = memo(function TurnEndView({ item }: { item: TurnEndItem }) {
  const { words, tone } = turnEndInWords(item)
  const said = [
    `${words} after ${spanBetween(item.startedAt, item.at)}`,
    ...(item.usage ? usageInWords(item.usage) : []),
  ]
  return (
    <div className={css.end} {...timeTitle(item.at)}>
      <span className={css[tone]}>
        <Icon name={tone === 'good' ? 'check' : tone === 'plain' ? 'stop' : 'warning'} size={14} />
        {said.join(' · ')}
      </span>
    </div>
  )
})
