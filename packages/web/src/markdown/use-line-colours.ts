import { useEffect, useState } from 'react'
import { whenIdle } from '../scheduling/when-idle.ts'
import type { Coloured } from './code-colours.ts'
import { languageOf } from './language-of.ts'

/** The colours of each line, counted from 0. */
export type LineColours = readonly (readonly Coloured[])[]

/** More would take longer to colour than a phone may stand still. */
const mostColoured = 100_000
/** What was coloured of late: a card that comes back into sight has its colours at once. */
const kept = new Map<string, LineColours | null>()
const mostKept = 40

/** The colours of a text, as soon as what makes them is loaded; null until then, and for what has none. */
export function useLineColours(path: string, text: string): LineColours | null {
  const lang = languageOf(path)
  const key = lang === '' || text === '' || text.length > mostColoured ? null : `${lang} ${text}`
  const [, setLoaded] = useState<string | null>(null)
  useEffect(() => {
    if (key === null || kept.has(key)) return
    let isWanted = true
    const loaded = whenIdle().then(() => import('./code-colours.ts'))
    loaded.then(
      ({ codeColours }) => {
        if (!isWanted) return
        keep(key, codeColours(text, lang))
        setLoaded(key)
      },
      () => {}, // Offline, before it was ever loaded: code is as true without colours.
    )
    return () => {
      isWanted = false
    }
  }, [key, text, lang])
  return (key !== null && kept.get(key)) || null
}

function keep(key: string, colours: LineColours | null): void {
  kept.set(key, colours)
  const oldest = kept.keys().next()
  if (kept.size > mostKept && !oldest.done) kept.delete(oldest.value)
}
