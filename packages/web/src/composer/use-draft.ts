import type { Attachment } from '@farhand/protocol/methods/conversation'
import { randomName } from '@farhand/protocol/wire/ids'
import { useEffect, useRef } from 'react'
import { type Draft, Drafts, type DraftsPage } from './drafts.ts'

const pauseMs = 300

const place = 'farhand.page'

function shelf(): Storage | null {
  try {
    return localStorage
  } catch {
    // Some browsers forbid even to ask.
    return null
  }
}

/** A name for this page, left in its tab for the page that comes after it. A tab that is doubled has that too, and gets another name. */
function pageHere(): DraftsPage {
  const id = randomName()
  try {
    const before = sessionStorage.getItem(place)
    sessionStorage.setItem(place, id)
    return { id, before }
  } catch {
    // Then a page that is loaded again is taken for another tab.
    return { id, before: null }
  }
}

/** What was begun to be said in runs, in this browser. */
export const drafts = new Drafts(shelf(), pageHere())

/** Keeps what is being written a moment after it was, and at the latest when the page goes. */
export function useDraft(
  run: string,
  text: string,
  attachments: readonly Attachment[],
  onOther: (draft: Draft) => void,
): void {
  const other = useRef(onOther)
  other.current = onOther
  const newest = useRef({ text, attachments })
  newest.current = { text, attachments }
  useEffect(() => {
    const waiting = setTimeout(() => drafts.keep(run, { text, attachments }), pauseMs)
    return () => clearTimeout(waiting)
  }, [run, text, attachments])
  useEffect(() => {
    const keep = () => drafts.keep(run, newest.current)
    // A page that the browser took back as it was: what was in its field may have been sent by the one that came after it.
    const back = ({ persisted }: PageTransitionEvent) => {
      if (persisted) other.current(drafts.of(run))
    }
    addEventListener('pagehide', keep)
    addEventListener('pageshow', back)
    return () => {
      removeEventListener('pageshow', back)
      removeEventListener('pagehide', keep)
      keep()
    }
  }, [run])
}
