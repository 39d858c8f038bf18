const unseen = /\p{Cc}|\p{Cf}/gu
const blankAtAnEnd = /(^|\/)\s|\s(\/|$)/

/**
 * A file name that is safe to print. One with control characters, or with a blank at an end, is written as a JSON string.
 */
export function pathInWords(path: string): string {
  if (path.search(unseen) === -1 && !blankAtAnEnd.test(path)) return path
  return JSON.stringify(path).replace(unseen, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`)
}

/** A message from a hub or from the system, safe to print in one line. */
export const lineInWords = (message: string) => message.replace(unseen, '?')
