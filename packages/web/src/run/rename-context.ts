import { createContext } from 'react'

/** Calls the run on the page something else; null where it cannot be renamed. */
export const RenameContext = createContext<((title: string) => void) | null>(null)
