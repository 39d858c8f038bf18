import type { AgentCommand } from '@farhand/story/items/story'
import { useEffect, useMemo, useState } from 'react'
import { fuzzy } from './fuzzy.ts'
import { type CompletionTarget, completionAt } from './typed-text.ts'

/** A completion that the user can choose. */
export type Suggestion = {
  /** The text to insert. */
  insert: string
  name: string
  /** Positions of the typed letters in `name`. */
  at: readonly number[]
  note: string | null
}
export type Suggestions = { typed: CompletionTarget; list: readonly Suggestion[]; isLoading: boolean }

const most = 8

/** Suggestions for the word at the caret; null if it is neither a command nor a file. Files are loaded on first use. */
export function useSuggestions(
  text: string,
  caret: number,
  commands: readonly AgentCommand[],
  files: () => Promise<readonly string[]>,
): Suggestions | null {
  const typed = useMemo(() => completionAt(text, caret), [text, caret])
  const [paths, setPaths] = useState<readonly string[] | null>(null)
  const namesFile = typed?.is === 'file'
  useEffect(() => {
    if (!namesFile) return
    let isHere = true
    files().then(
      (found) => isHere && setPaths(found),
      () => isHere && setPaths([]),
    )
    return () => {
      isHere = false
    }
  }, [namesFile, files])
  return useMemo(() => {
    if (!typed) return null
    if (typed.is === 'command') {
      const list = fuzzy(typed.query, commands, ({ name }) => name, most).map(({ item, at }) => ({
        insert: `/${item.name}`,
        name: `/${item.name}`,
        at: at.map((place) => place + 1),
        note: item.description || item.hint,
      }))
      return list.length === 0 ? null : { typed, list, isLoading: false }
    }
    const list = fuzzy(typed.query, paths ?? [], (path) => path, most).map(({ item, at }) => ({
      insert: `@${item}`,
      name: item,
      at,
      note: null,
    }))
    return list.length === 0 && paths !== null ? null : { typed, list, isLoading: paths === null }
  }, [typed, commands, paths])
}
