/** Where a browser remembers who was here last. */
export const lastUserKey = 'farhand.me'

/** Whether somebody was here before: then there may be logs here, too. */
export function hasLastUser(): boolean {
  try {
    return localStorage.getItem(lastUserKey) !== null
  } catch {
    // A window that may keep nothing.
    return false
  }
}
