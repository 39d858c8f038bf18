import { useSyncExternalStore } from 'react'
import { firstSeen, readSeen, type SeenMark, type SeenRuns, withSeen } from './seen-runs.ts'

const key = 'farhand.seen'
const listeners = new Set<() => void>()
const pauseMs = 300
let held: SeenRuns | null = null
/** What nobody was told of yet; another tab may note something meanwhile. */
const pending = new Map<string, SeenMark>()
let timer: ReturnType<typeof setTimeout> | undefined

/** How far each run was read in this browser, and again when that changes, in this tab or another one. */
export const useSeenRuns = (): SeenRuns => useSyncExternalStore(listen, seenNow)

/** Notes that somebody has a run before their eyes, up to this event. Others hear of it in a moment. */
export function markSeen(run: string, mark: SeenMark): void {
  pending.set(run, mark)
  if (timer !== undefined) return
  // An agent at work says many things a second: to draw the list for each of them would be felt by whoever types.
  timer = setTimeout(tell, pauseMs)
  addEventListener('pagehide', tell)
}

/** Whoever was here has gone. */
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
  // Another tab may have noted something that this one was not told of yet.
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
    // A browser that keeps nothing has it until the page is left.
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
  // Not where it is read: a page that is being left would keep it again.
  if (stored() === null) keep(seenNow())
  listeners.add(listener)
  addEventListener('storage', elsewhere)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', elsewhere)
  }
}
