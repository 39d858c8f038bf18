/** What people wrote about the rows, by row; throws a sentence when a heading names none. */
export function remarksOf(text: string, rowNames: readonly string[]): Map<string, string> {
  const remarks = new Map<string, string>()
  for (const part of text.split(/^## /m).slice(1)) {
    const [heading = '', ...lines] = part.split('\n')
    const name = heading.trim()
    if (!rowNames.includes(name)) {
      throw new Error(`remarks.md has a part "${name}", which is no row. Rows: ${rowNames.join(', ')}.`)
    }
    const remark = lines.join('\n').trim()
    if (remark !== '') remarks.set(name, remark)
  }
  return remarks
}
