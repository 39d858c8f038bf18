import { useEffect, useRef, useSyncExternalStore } from 'react'

/** `keys` are values of `KeyboardEvent.key`; `g r` means one after the other. */
export type Shortcut = { keys: string; words: string; group: string }
type Held = Shortcut & { action: () => void }

const pauseMs = 1200
let held: readonly Held[] = []
let pressed: { key: string; at: number } | null = null
const listeners = new Set<() => void>()

/** Registers a shortcut while the component is mounted. It does nothing while the user types or a dialog is open. */
export function useShortcut(keys: string, words: string, group: string, action: () => void): void {
  const newest = useRef(action)
  newest.current = action
  useEffect(() => {
    const one: Held = { keys, words, group, action: () => newest.current() }
    become([...held, one])
    return () => become(held.filter((other) => other !== one))
  }, [keys, words, group])
}

/** The registered shortcuts. */
export function useShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => held,
  )
}

/** Starts to listen for keys, until the returned function is called. */
export function listenToKeys(): () => void {
  addEventListener('keydown', onKeyDown)
  return () => removeEventListener('keydown', onKeyDown)
}

function become(now: readonly Held[]) {
  held = now
  for (const listener of listeners) listener()
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return
  if (document.querySelector('dialog[open], [role="menu"]')) return
  if (isTyping(event.target) && !isForQuestion(event)) return
  const before = pressed && event.timeStamp - pressed.at < pauseMs ? `${pressed.key} ` : ''
  // The last registered one belongs to what the user looks at.
  const find = (keys: string) => held.findLast((one) => one.keys === keys)
  const found = (before && find(before + event.key)) || find(event.key)
  pressed = found ? null : { key: event.key, at: event.timeStamp }
  if (!found) return
  event.preventDefault()
  found.action()
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
  )
}

/** Digits answer an open question even from an empty message field, where the cursor usually is. */
function isForQuestion({ target, key }: KeyboardEvent): boolean {
  const isEmpty =
    target instanceof HTMLTextAreaElement && target.dataset.passesKeys !== undefined && target.value === ''
  return (
    isEmpty && /^[1-9]$/.test(key) && held.some(({ keys, group }) => keys === key && group === 'Question')
  )
}
