import { createContext } from 'react'

/** Whether the user may do anything in the run on the page. `guest`: has only the link of this run. */
export type MayAct = 'yes' | 'viewer' | 'guest'

export const MayActContext = createContext<MayAct>('yes')
