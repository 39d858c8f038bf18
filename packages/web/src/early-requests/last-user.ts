/** Where a browser remembers who was here last. */
export const whoWasHere = 'farhand.me'

/** Whether somebody was here before: then there may be logs here, too. */
export function isKnownHere(): boolean {
  try {
    return localStorage.getItem(whoWasHere) !== null
  } catch {
    // A window that may keep nothing.
    return false
  }
}
