import { useCallback, useEffect, useState } from 'react'
import { recheckSignIn } from '../sign-in/session.ts'

/** What the hub answered; the last list stays if it does not answer. */
export type Asked<Item> = readonly Item[] | 'asking' | 'silence'

/** A list from the hub, and how to ask for it again. */
export function useList<Item>(ask: () => Promise<Item[]>): [Asked<Item>, () => Promise<void>] {
  const [list, setList] = useState<Asked<Item>>('asking')
  const again = useCallback(
    () =>
      ask().then(setList, () => {
        setList((before) => (typeof before === 'string' ? 'silence' : before))
        void recheckSignIn()
      }),
    [ask],
  )
  useEffect(() => void again(), [again])
  return [list, again]
}
