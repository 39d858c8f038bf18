import { useEffect, useState } from 'react'
import { whenPageShown } from '../scheduling/when-shown.ts'
import { useMediaQuery } from '../ui/use-media-query.ts'

/** Keep this in step with the media query for narrow screens in `frame.module.css`. */
const isNarrow = '(max-width: 760px), (max-width: 999px) and (max-height: 500px) and (pointer: coarse)'

/** Whether to render the list of runs: at once where it is visible, otherwise when the page has shown its main content. */
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
  // Keep the list once it is rendered, so that going back to it finds the same scroll position.
  useEffect(() => {
    if (!isHidden) setDue(true)
  }, [isHidden])
  return isDue || !isHidden
}
