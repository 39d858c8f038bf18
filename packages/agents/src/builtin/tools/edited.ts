export type Edit = { oldText: string; newText: string; replaceAll?: boolean | undefined }

/** The text with one passage replaced; throws with advice unless the edit is unambiguous. */
export function edited(text: string, edit: Edit): string {
  const { oldText, newText } = inLineEndsOf(text, edit)
  if (oldText === '')
    throw new Error('oldText is empty: quote the passage to replace, or write the whole file')
  if (oldText === newText) throw new Error('oldText and newText are the same: nothing would change')
  const found = placesOf(text, oldText)
  if (found.length === 0) throw new Error(`oldText is not in the file. ${nearMiss(text, oldText)}`)
  if (found.length > 1 && !edit.replaceAll) {
    const lines = found.slice(0, 10).map((at) => text.slice(0, at).split('\n').length)
    const where = `in lines ${lines.join(', ')}${found.length > 10 ? ' and more' : ''}`
    throw new Error(
      `oldText is there ${found.length} times (${where}): quote more around it, or set replaceAll`,
    )
  }
  // Not String.replace, which interprets "$&" in the new text.
  return text.split(oldText).join(newText)
}

function placesOf(text: string, part: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) places.push(at)
  return places
}

/** Models write LF line ends even if they were shown others; a file keeps its own. */
function inLineEndsOf(text: string, { oldText, newText }: Edit): { oldText: string; newText: string } {
  const isDos = text.includes('\r\n') && !/(^|[^\r])\n/.test(text)
  if (!isDos) return { oldText, newText }
  const dos = (part: string) => part.replace(/\r?\n/g, '\r\n')
  return { oldText: dos(oldText), newText: dos(newText) }
}

function nearMiss(text: string, part: string): string {
  const bare = (line: string) => line.trim().replace(/\s+/g, ' ')
  const wanted = part.split('\n').map(bare)
  const lines = text.split('\n').map(bare)
  const at = lines.findIndex((_, from) => wanted.every((line, i) => lines[from + i] === line))
  if (at < 0) return 'Read the file again and quote it exactly.'
  return `Line ${at + 1} differs from it only in white space: quote it exactly.`
}
