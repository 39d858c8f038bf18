import { createContext } from 'react'

/** Renames the run on the page; null where it cannot be renamed. */
export const RenameContext = createContext<((title: string) => void) | null>(null)
