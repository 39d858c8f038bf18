import { memo } from 'react'
import { Icon } from '../../look/icon.tsx'
import { Spinner } from '../../look/spinner.tsx'
import { Markdown } from '../../markdown/markdown.tsx'
import type { ThoughtItem } from '../../story/story.ts'
import { type Folds, useFold } from '../folds.ts'
import { spanBetween } from '../span-in-words.ts'
import { LongText } from './long-text.tsx'
import row from './row.module.css'

type Props = { item: ThoughtItem; folds: Folds; onWhole: (hash: string) => Promise<Uint8Array> }

/** What the agent thought: one line until somebody wants to read it. */
export const ThoughtView = memo(function ThoughtView({ item, folds, onWhole }: Props) {
  const [isOpen, turn] = useFold(folds, `${item.id}`, false)
  const words = item.isOpen ? 'Thinking' : `Thought for ${spanBetween(item.at, item.endedAt)}`
  return (
    <div>
      <button type="button" className={row.fold} aria-expanded={isOpen} onClick={turn}>
        {item.isOpen ? <Spinner /> : <Icon name="thought" size={15} />}
        {words}
        <Icon name="chevron-right" size={14} />
      </button>
      {isOpen && (
        <div className={row.inside}>
          <LongText {...{ item, folds, onWhole }}>
            {(text) => <Markdown text={text} isGrowing={item.isOpen} />}
          </LongText>
        </div>
      )}
    </div>
  )
})
