import { type ReactNode, useContext } from 'react'
import { type OpenSections, useOpenSection } from '../../output/open-sections.ts'
import type { Item } from '../../story/story.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { RewindContext } from '../rewind/rewind-context.ts'
import row from './row.module.css'

type Props = {
  /** The rewind that took them away, and the event to go to to undo it. */
  id: number
  before: number
  items: readonly Item[]
  openSections: OpenSections
  children: (item: Item) => ReactNode
}

/** A longer list would keep the page from answering; the newest are what somebody looks for. */
const mostShown = 200

/** What a rewind took away, in one line that opens. */
export function TakenBack({ id, before, items, openSections, children }: Props) {
  const back = useContext(RewindContext)
  const [isOpen, turn] = useOpenSection(openSections, `taken ${id}`, false)
  if (items.length === 0) return null
  const hidden = Math.max(0, items.length - mostShown)
  return (
    <section aria-label="What was taken back">
      <div className={row.block}>
        <button type="button" className={row.fold} aria-expanded={isOpen} onClick={turn}>
          {items.length === 1 ? '1 item was taken back' : `${items.length} items were taken back`}
          <Icon name="chevron-right" size={14} />
        </button>
        {back && !back.isOver && (
          <Button
            isSmall
            isGuarded
            icon="undo"
            onClick={() => {
              // Whoever undoes it wants to see what comes of that, and not what was in there.
              if (isOpen) turn()
              back.undo(id, before)
            }}
          >
            Undo
          </Button>
        )}
      </div>
      {isOpen && (
        <div className={row.taken}>
          {hidden > 0 && <p>{hidden} older ones are not shown.</p>}
          {items.slice(hidden).map((item) => (
            <div key={item.id}>{children(item)}</div>
          ))}
        </div>
      )}
    </section>
  )
}
