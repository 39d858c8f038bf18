import type { ThoughtItem } from '@farhand/story/items/story'
import { durationBetween } from '@farhand/story/wording/duration-in-words'
import { memo } from 'react'
import { Markdown } from '../../markdown/markdown.tsx'
import { type LongProps, LongText } from '../../output/long-text.tsx'
import { useOpenSection } from '../../output/open-sections.ts'
import { Icon } from '../../ui/icon.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import row from './row.module.css'

/** A thought of the agent, in one line that expands. */
export const ThoughtView = memo(function ThoughtView({
  item,
  openSections,
  fetchBlob,
}: LongProps<ThoughtItem>) {
  const [isOpen, toggle] = useOpenSection(openSections, `${item.id}`, false)
  const words = item.isOpen ? 'Thinking' : `Thought for ${durationBetween(item.at, item.endedAt)}`
  return (
    <div>
      <button type="button" className={row.fold} aria-expanded={isOpen} onClick={toggle}>
        {item.isOpen ? <Spinner /> : <Icon name="thought" size={15} />}
        {words}
        <Icon name="chevron-right" size={14} />
      </button>
      {isOpen && (
        <div className={row.inside}>
          <LongText {...{ item, openSections, fetchBlob }}>
            {(text) => <Markdown text={text} isGrowing={item.isOpen} />}
          </LongText>
        </div>
      )}
    </div>
  )
})
