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
    // Some browsers throw on reading `localStorage`.
    return null
  }
}

/**
 * An id for this page load, stored in the tab for the next page load. A duplicated tab copies the stored id and
 * gets a new one of its own.
 */
function pageHere(): DraftsPage {
  const id = randomName()
  try {
    const before = sessionStorage.getItem(place)
    sessionStorage.setItem(place, id)
    return { id, before }
  } catch {
    // Then a reloaded page counts as another tab.
    return { id, before: null }
  }
}

export const drafts = new Drafts(shelf(), pageHere())

/** Saves the draft shortly after each change, and at the latest when the page is hidden. */
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
    // The browser restored this page from its cache: a later page may have sent the text that was in the field.
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
