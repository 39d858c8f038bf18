const unseen = /\p{Cc}|\p{Cf}/gu
const blankAtAnEnd = /(^|\/)\s|\s(\/|$)/

/**
 * A name as it can be shown: one that could move the cursor, turn the line around, or begins or ends with a blank, is
 * written like a string.
 */
export function pathInWords(path: string): string {
  if (path.search(unseen) === -1 && !blankAtAnEnd.test(path)) return path
  return JSON.stringify(path).replace(unseen, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`)
}

/** A message that others have a part in (a hub, a system that names a file) as it can be shown, in one line. */
export const lineInWords = (message: string) => message.replace(unseen, '?')
