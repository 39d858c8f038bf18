import { useSyncExternalStore } from 'react'
import { firstSeen, readSeen, type SeenMark, type SeenRuns, withSeen } from './seen-runs.ts'

const key = 'farhand.seen'
const listeners = new Set<() => void>()
const pauseMs = 300
let held: SeenRuns | null = null
/** Marks that listeners have not heard of; another tab may add marks meanwhile. */
const pending = new Map<string, SeenMark>()
let timer: ReturnType<typeof setTimeout> | undefined

/** How far each run was read in this browser, updated from all its tabs. */
export const useSeenRuns = (): SeenRuns => useSyncExternalStore(listen, seenNow)

/** Notes that the user has seen a run up to this event. Listeners hear of it shortly after. */
export function markSeen(run: string, mark: SeenMark): void {
  pending.set(run, mark)
  if (timer !== undefined) return
  // An agent may write many events a second: rendering the list for each would slow down typing.
  timer = setTimeout(tell, pauseMs)
  addEventListener('pagehide', tell)
}

/** Forgets all marks, for signing out. */
export function forgetSeen(): void {
  pending.clear()
  clearTimeout(timer)
  timer = undefined
  held = null
}

function tell(): void {
  clearTimeout(timer)
  timer = undefined
  removeEventListener('pagehide', tell)
  // Another tab may have stored marks that this one has not heard of.
  const kept = stored()
  const before = kept === null ? seenNow() : readSeen(kept)
  let next = before
  for (const [run, mark] of pending) next = withSeen(next, run, mark)
  pending.clear()
  if (next === before) return
  held = next
  keep(next)
  for (const listener of listeners) listener()
}

function seenNow(): SeenRuns {
  if (held) return held
  const kept = stored()
  held = kept === null ? firstSeen(Date.now()) : readSeen(kept)
  return held
}

function keep(seen: SeenRuns): void {
  try {
    localStorage.setItem(key, JSON.stringify(seen))
  } catch {
    // Without storage, the marks last as long as the page.
  }
}

function stored(): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

function listen(listener: () => void): () => void {
  const elsewhere = (event: StorageEvent) => {
    if (event.key !== key) return
    held = readSeen(event.newValue)
    listener()
  }
  // Write only here, not in `seenNow`: a page that is being left after sign-out must not store anything again.
  if (stored() === null) keep(seenNow())
  listeners.add(listener)
  addEventListener('storage', elsewhere)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', elsewhere)
  }
}
