import { useCallback, useState } from 'react'
import { readLocalJson, writeLocal } from '../../storage/local.ts'
import type { LineComment } from './comment-message.ts'
import type { LinePlace } from './line-place.ts'

/** A comment that the user is writing. */
export type CommentDraft = Omit<LineComment, 'id'>

/** The unsent comments of a run, and the one being written. They are stored in this browser and survive a reload. */
export function useComments(run: string) {
  const name = `farhand.comments.${run}`
  const [comments, setComments] = useState<readonly LineComment[]>(() => kept<LineComment>(name))
  const become = useCallback(
    (change: (now: readonly LineComment[]) => readonly LineComment[]) =>
      setComments((now) => {
        const next = change(now)
        keep(name, next)
        return next
      }),
    [name],
  )
  const add = useCallback(
    (comment: Omit<LineComment, 'id'>) =>
      become((now) => [...now, { ...comment, id: Math.max(0, ...now.map(({ id }) => id)) + 1 }]),
    [become],
  )
  const drop = useCallback((id: number) => become((now) => now.filter((one) => one.id !== id)), [become])
  const put = useCallback((all: readonly LineComment[]) => become(() => all), [become])
  const [begun, setBegun] = useState<CommentDraft | null>(
    () => kept<CommentDraft>(`${name}.begun`)[0] ?? null,
  )
  const write = useCallback(
    (next: CommentDraft | null) => {
      setBegun(next)
      keep(`${name}.begun`, next && next.text !== '' ? [next] : [])
    },
    [name],
  )
  /** Starting a comment on another line takes the text along, so that a click on a line loses nothing. */
  const begin = useCallback(
    (path: string, place: LinePlace) => setBegun((now) => ({ path, ...place, text: now?.text ?? '' })),
    [],
  )
  return { comments, add, drop, put, begun, begin, write }
}

function kept<Comment>(name: string): readonly Comment[] {
  const found = readLocalJson(name)
  return Array.isArray(found) ? found : []
}

const keep = (name: string, comments: readonly CommentDraft[]) =>
  writeLocal(name, comments.length === 0 ? null : JSON.stringify(comments))
