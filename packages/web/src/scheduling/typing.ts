/** Whoever types, and is not looking for words, presses the next key within this time. */
const betweenKeysMs = 600

let keyAt = Number.NEGATIVE_INFINITY

/** Has the page know when somebody types, wherever in it. */
export function watchTyping(): void {
  const note = () => {
    keyAt = performance.now()
  }
  document.addEventListener('keydown', note, { capture: true, passive: true })
}

/** Whether somebody is typing: what can wait should not be in their way. */
export const isTyping = (): boolean => performance.now() - keyAt < betweenKeysMs
