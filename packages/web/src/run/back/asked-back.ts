import { createContext } from 'react'

/** What somebody wants to do with a moment of a run; `event`: near which one, null: they have not said. */
export type AskedBack = { do: 'fork' | 'rewind'; event: number | null }

/** How to ask for that on the page of a run; null where nothing of it can be done. A run that is over is not rewound. */
export const AskBackContext = createContext<{ ask: (asked: AskedBack) => void; isOver: boolean } | null>(null)
