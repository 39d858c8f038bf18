import type { Item } from '@farhand/story/items/story'
import { type ReactNode, useContext } from 'react'
import { type OpenSections, useOpenSection } from '../../output/open-sections.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { RewindContext } from '../rewind/rewind-context.ts'
import row from './row.module.css'

type Props = {
  /** The rewind that removed the items, and the event to go back to for undoing it. */
  id: number
  before: number
  items: readonly Item[]
  openSections: OpenSections
  children: (item: Item) => ReactNode
}

/** A longer list would block the page; the newest items matter most. */
const mostShown = 200

/** The items that a rewind removed, in one line that expands. */
export function RewoundItems({ id, before, items, openSections, children }: Props) {
  const back = useContext(RewindContext)
  const [isOpen, toggle] = useOpenSection(openSections, `taken ${id}`, false)
  if (items.length === 0) return null
  const hidden = Math.max(0, items.length - mostShown)
  return (
    <section aria-label="Rewound items">
      <div className={row.block}>
        <button type="button" className={row.fold} aria-expanded={isOpen} onClick={toggle}>
          {items.length === 1 ? '1 item was rewound' : `${items.length} items were rewound`}
          <Icon name="chevron-right" size={14} />
        </button>
        {back && !back.isOver && (
          <Button
            isSmall
            isGuarded
            icon="undo"
            onClick={() => {
              // Close it, so that the user sees the result of the undo.
              if (isOpen) toggle()
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
