import { useSyncExternalStore } from 'react'

export type Toast = {
  id: number
  text: string
  tone: 'plain' | 'bad'
  undo: (() => void) | null
  /** Shows what it is about. */
  open: (() => void) | null
}

const shownMs = 6000
/** How often it is looked whether what is over is still pointed at. */
const againMs = 1000
/** What is pointed at for longer is not: a mouse was left there, or a phone only knows where its finger was last. */
const mostMs = 300_000
let isPointedAt = () => false
let toasts: readonly Toast[] = []
let next = 1
const listeners = new Set<() => void>()

function become(now: readonly Toast[]) {
  toasts = now
  for (const listener of listeners) listener()
}

/** Says something in passing; the answer is for `dismiss`. What must not be missed belongs on the page itself. */
export function toast(
  text: string,
  more: { tone?: Toast['tone']; undo?: () => void; open?: () => void } = {},
): number {
  const id = next++
  // More than three at once nobody reads.
  become([
    ...(isPointedAt() ? toasts : toasts.slice(-2)),
    { id, text, tone: more.tone ?? 'plain', undo: more.undo ?? null, open: more.open ?? null },
  ])
  const until = performance.now() + mostMs
  setTimeout(() => end(id, until), more.undo || more.open ? shownMs * 2 : shownMs)
  return id
}

function end(id: number, until: number): void {
  if (isPointedAt() && performance.now() < until) setTimeout(() => end(id, until), againMs)
  else dismiss(id)
}

/** Keeps all that is said while the answer is yes, for some minutes: nobody is to press what has just gone. Until the given function is called. */
export function keepWhile(asked: () => boolean): () => void {
  isPointedAt = asked
  return () => {
    isPointedAt = () => false
  }
}

/** Takes one away, if it is still there. */
export function dismiss(id: number): void {
  if (toasts.some((one) => one.id === id)) become(toasts.filter((one) => one.id !== id))
}

/** What is said just now, oldest first. */
export const saidNow = (): readonly Toast[] => toasts

/** That, whenever it changes. */
export function useToasts(): readonly Toast[] {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, saidNow)
}
