/** A typing user presses the next key within this time. */
const betweenKeysMs = 600

let keyAt = Number.NEGATIVE_INFINITY

/** Starts to watch for typing, anywhere in the page. */
export function watchTyping(): void {
  const note = () => {
    keyAt = performance.now()
  }
  document.addEventListener('keydown', note, { capture: true, passive: true })
}

/** Whether the user is typing: work that can wait should not slow them down. */
export const isTyping = (): boolean => performance.now() - keyAt < betweenKeysMs
