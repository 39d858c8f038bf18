const start = '#file='

/** The URL fragment of the files page that shows this file. */
export const fileFragment = (path: string): string => start + encodeURIComponent(path)

/** The file that a fragment names, or null. */
export function fileNamed(fragment: string): string | null {
  if (!fragment.startsWith(start)) return null
  try {
    return decodeURIComponent(fragment.slice(start.length)) || null
  } catch {
    // An incomplete escape sequence.
    return null
  }
}
