const start = '#file='

/** The fragment of an address of the files page that shows this file. */
export const fileFragment = (path: string): string => start + encodeURIComponent(path)

/** The file that a fragment names; null if it names none. */
export function fileNamed(fragment: string): string | null {
  if (!fragment.startsWith(start)) return null
  try {
    return decodeURIComponent(fragment.slice(start.length)) || null
  } catch {
    // A half escaped letter, typed or cut off.
    return null
  }
}
