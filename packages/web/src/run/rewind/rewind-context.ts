import { createContext } from 'react'

/** What somebody wants to do with a moment of a run; `event`: near which one, null: they have not said. */
export type RewindRequest = {
  do: 'fork' | 'rewind'
  event: number | null
  /** Whether that very event is meant, and not the moment before it that has a name. */
  isExact?: boolean
}

/** How to ask for that on the page of a run; null where nothing of it can be done. A run that is over is not rewound. */
export const RewindContext = createContext<{
  ask: (asked: RewindRequest) => void
  /** Undoes the rewind `id`, by going to the event `before` it; asks first if more was said since. */
  undo: (id: number, before: number) => void
  isOver: boolean
} | null>(null)
