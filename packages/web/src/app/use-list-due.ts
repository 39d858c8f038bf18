import { useEffect, useState } from 'react'
import { whenPageShown } from '../scheduling/when-shown.ts'
import { useMediaQuery } from '../ui/use-media-query.ts'

/** The same as in `frame.module.css`: where there is room for one thing at a time. */
const isNarrow = '(max-width: 760px), (max-width: 999px) and (max-height: 500px) and (pointer: coarse)'

/** Whether the list of runs is to be made: at once where it can be seen, else when nobody waits for the page any more. */
export function useListDue(isAlone: boolean): boolean {
  const [isDue, setDue] = useState(false)
  const isHidden = useMediaQuery(isNarrow) && !isAlone
  useEffect(() => {
    let isGone = false
    void whenPageShown().then(() => isGone || setDue(true))
    return () => {
      isGone = true
    }
  }, [])
  // What was made once stays: whoever goes back to it finds it where they left it.
  useEffect(() => {
    if (!isHidden) setDue(true)
  }, [isHidden])
  return isDue || !isHidden
}
