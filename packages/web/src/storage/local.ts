/** A value in the local storage of this browser; null if there is none, or where storage is forbidden. */
export function readLocal(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** As `readLocal`, for a value that was written as JSON; null for any other. */
export function readLocalJson(key: string): unknown {
  try {
    return JSON.parse(readLocal(key) ?? 'null')
  } catch {
    return null
  }
}

/** Stores a value, or removes it if null. Where storage is full or forbidden it lasts no longer than its page. */
export function writeLocal(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {}
}
