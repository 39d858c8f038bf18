import { plainLine } from '@farhand/protocol/text/plain-text'
import { markInWords, startInWords } from '@farhand/story/wording/mark-in-words'
import { memo } from 'react'
import { type OpenProps, useOpenSection } from '../../output/open-sections.ts'
import { Icon } from '../../ui/icon.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import type { StartItem } from '../view-model/shown-items.ts'
import { MarkView } from './mark-view.tsx'
import row from './row.module.css'

/** The steps of a start or wake-up, in one line that expands. */
export const StartView = memo(function StartView({ item, openSections }: OpenProps<StartItem>) {
  const [isOpen, toggle] = useOpenSection(openSections, `start ${item.id}`, false)
  const isUnderWay = item.steps.some(({ mark }) => markInWords(mark).isUnderWay)
  return (
    <div>
      <button type="button" className={row.fold} aria-expanded={isOpen} onClick={toggle}>
        {isUnderWay ? <Spinner size={14} /> : <Icon name="play" size={15} />}
        <span className={row.more} dir="auto">
          {plainLine(startInWords(item.steps))}
        </span>
        <Icon name="chevron-right" size={14} />
      </button>
      {isOpen && (
        <div className={row.inside}>
          {item.steps.map((step) => (
            <MarkView key={step.id} item={step} />
          ))}
        </div>
      )}
    </div>
  )
})
