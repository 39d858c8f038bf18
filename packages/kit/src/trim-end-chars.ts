/**
 * The text without these characters at its end. Not by a regular expression: one like `\s+$` begins anew at each letter of a long run that is
 * not at the end, which takes hours for a megabyte.
 */
export function trimEndChars(text: string, letters: string): string {
  let end = text.length
  while (end > 0 && letters.includes(text[end - 1]!)) end -= 1
  return text.slice(0, end)
}
