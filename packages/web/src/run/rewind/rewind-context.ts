import { createContext } from 'react'

/** A request to fork or rewind; `event`: near which event, null: the user has not chosen one. */
export type RewindRequest = {
  do: 'fork' | 'rewind'
  event: number | null
  /** Whether exactly that event is meant, and not the named point before it. */
  isExact?: boolean
}

/** How components ask for a fork or rewind; null where neither is possible. A run that is over cannot be rewound. */
export const RewindContext = createContext<{
  ask: (asked: RewindRequest) => void
  /** Undoes the rewind `id` by going back to the event `before`; asks first if more was said since. */
  undo: (id: number, before: number) => void
  isOver: boolean
} | null>(null)
