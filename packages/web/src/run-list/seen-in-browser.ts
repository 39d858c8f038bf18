import { useSyncExternalStore } from 'react'
import { soon } from '../scheduling/soon.ts'
import { readLocal, writeLocal } from '../storage/local.ts'
import { firstSeen, readSeen, type SeenMark, type SeenRuns, withSeen } from './seen-runs.ts'

const key = 'farhand.seen'
const listeners = new Set<() => void>()
let held: SeenRuns | null = null
/** Marks that listeners have not heard of; another tab may add marks meanwhile. */
const pending = new Map<string, SeenMark>()
/** An agent may write many events a second: rendering the list for each would slow down typing. */
const telling = soon(tell, 300)

/** How far each run was read in this browser, updated from all its tabs. */
export const useSeenRuns = (): SeenRuns => useSyncExternalStore(listen, seenNow)

/** Notes that the user has seen a run up to this event. Listeners hear of it shortly after. */
export function markSeen(run: string, mark: SeenMark): void {
  pending.set(run, mark)
  telling.ask()
}

/** Forgets all marks, for signing out. */
export function forgetSeen(): void {
  pending.clear()
  telling.forget()
  held = null
}

function tell(): void {
  // Another tab may have stored marks that this one has not heard of.
  const kept = readLocal(key)
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
  const kept = readLocal(key)
  held = kept === null ? firstSeen(Date.now()) : readSeen(kept)
  return held
}

const keep = (seen: SeenRuns) => writeLocal(key, JSON.stringify(seen))

function listen(listener: () => void): () => void {
  const elsewhere = (event: StorageEvent) => {
    if (event.key !== key) return
    held = readSeen(event.newValue)
    listener()
  }
  // Write only here, not in `seenNow`: a page that is being left after sign-out must not store anything again.
  if (readLocal(key) === null) keep(seenNow())
  listeners.add(listener)
  addEventListener('storage', elsewhere)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', elsewhere)
  }
}
