/** A text if it is short enough, or else its beginning and its end, and how much is missing between them. */
export function endsOf(text: string, mostHead: number, mostTail: number): string {
  const missing = text.length - mostHead - mostTail
  if (missing <= 0) return text.toWellFormed()
  const gap = `… (${missing.toLocaleString('en')} characters are left out) …`
  return `${text.slice(0, mostHead)}${gap}${text.slice(text.length - mostTail)}`.toWellFormed()
}
