import { trimEndChars } from '@farhand/kit/trim-end-chars'

const mostLines = 20

/** The last lines of a text, and how many are left out. */
export function lastLines(text: string): string {
  const lines = trimEndChars(text, '\n').split('\n')
  if (lines.length <= mostLines) return lines.join('\n')
  return [`… ${lines.length - mostLines} more lines`, ...lines.slice(-mostLines)].join('\n')
}
