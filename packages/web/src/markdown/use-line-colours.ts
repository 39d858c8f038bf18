import { useEffect, useState } from 'react'
import { whenIdle } from '../scheduling/when-idle.ts'
import type { Coloured } from './code-colours.ts'

/** The colours of each line, counted from 0. */
export type LineColours = readonly (readonly Coloured[])[]

/** Colouring more would block a phone for too long. */
const mostColoured = 100_000
/** The last results: a card that scrolls back into view has its colours at once. */
const kept = new Map<string, LineColours | null>()
const mostKept = 40

/** The colours of a text, once the highlighter is loaded; null until then and for an unknown language. */
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
      () => {}, // Offline, and the highlighter was never loaded: show the code without colours.
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

const byName = new Map([
  ['makefile', 'makefile'],
  ['gemfile', 'ruby'],
  ['rakefile', 'ruby'],
])
const byEnding = new Map([
  ['htm', 'xml'],
  ['webmanifest', 'json'],
])

/** The highlighter's language for a file name; '' if unknown. */
export function languageOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const dot = name.lastIndexOf('.')
  const ending = dot < 1 ? '' : name.slice(dot + 1)
  return byName.get(name) ?? byEnding.get(ending) ?? ending
}
