import type { Attachment } from '@farhand/protocol/methods/conversation'
import { useEffect, useRef } from 'react'
import { Drafts } from './drafts.ts'

const pauseMs = 300

function shelf(): Storage | null {
  try {
    return localStorage
  } catch {
    // Some browsers forbid even to ask.
    return null
  }
}

/** What was begun to be said in runs, in this browser. */
export const drafts = new Drafts(shelf())

/** Keeps what is being written a moment after it was, and at the latest when the page goes. */
export function useDraft(run: string, text: string, attachments: readonly Attachment[]): void {
  const newest = useRef({ text, attachments })
  newest.current = { text, attachments }
  useEffect(() => {
    const waiting = setTimeout(() => drafts.keep(run, { text, attachments }), pauseMs)
    return () => clearTimeout(waiting)
  }, [run, text, attachments])
  useEffect(() => {
    const keep = () => drafts.keep(run, newest.current)
    addEventListener('pagehide', keep)
    return () => {
      removeEventListener('pagehide', keep)
      keep()
    }
  }, [run])
}
