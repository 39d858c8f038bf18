import { useSyncExternalStore } from 'react'

export type Toast = {
  id: number
  text: string
  tone: 'plain' | 'bad'
  undo: (() => void) | null
  /** Opens what the toast is about. */
  open: (() => void) | null
}

const shownMs = 6000
/** How often to check whether an expired toast is still hovered. */
const againMs = 1000
/** A longer hover does not count: a mouse was left there, or a phone only remembers the last touch. */
const mostMs = 300_000
let isPointedAt = () => false
let toasts: readonly Toast[] = []
let next = 1
const listeners = new Set<() => void>()

function setToasts(now: readonly Toast[]) {
  toasts = now
  for (const listener of listeners) listener()
}

/** Shows a toast; returns its id for `dismiss`. Put anything important on the page itself. */
export function toast(
  text: string,
  more: { tone?: Toast['tone']; undo?: () => void; open?: () => void } = {},
): number {
  const id = next++
  // Keep at most three.
  setToasts([
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

/**
 * Keeps expired toasts while `asked` returns true, for some minutes, so that a button does not vanish under the
 * pointer. Returns a function that ends this.
 */
export function keepToastsWhile(asked: () => boolean): () => void {
  isPointedAt = asked
  return () => {
    isPointedAt = () => false
  }
}

/** Removes a toast, if it is still there. */
export function dismiss(id: number): void {
  if (toasts.some((one) => one.id === id)) setToasts(toasts.filter((one) => one.id !== id))
}

/** The visible toasts, oldest first. */
export const currentToasts = (): readonly Toast[] => toasts

/** The same, updated when it changes. */
export function useToasts(): readonly Toast[] {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, currentToasts)
}
