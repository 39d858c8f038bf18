/** The local storage key for the last signed-in user. */
export const lastUserKey = 'farhand.me'

/** Whether this browser has had a signed-in user: then it may have cached logs. */
export function hasLastUser(): boolean {
  try {
    return localStorage.getItem(lastUserKey) !== null
  } catch {
    // Storage is forbidden in this window.
    return false
  }
}
