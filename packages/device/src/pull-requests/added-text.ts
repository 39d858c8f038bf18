const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/

/** The text that patches without context lines add to each file; binary files are not among them. */
export function addedText(patch: string): Map<string, string> {
  const added = new Map<string, string[]>()
  let at: string[] = []
  let left = 0
  for (const line of patch.split('\n')) {
    if (left > 0) {
      // An added line may itself look like a file header: only the hunk's count tells.
      if (line.startsWith('\\')) continue
      left -= 1
      if (line.startsWith('+')) at.push(line.slice(1))
      continue
    }
    const [isHunk, minus = '1', plus = '1'] = hunk.exec(line) ?? []
    if (isHunk !== undefined) left = Number(minus) + Number(plus)
    else if (/^\+\+\+ "?b\//.test(line)) {
      const name = nameIn(line)
      at = added.get(name) ?? []
      added.set(name, at)
    }
  }
  return new Map([...added].map(([path, lines]) => [path, lines.join('\n')]))
}

const letters: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/** Git ends a name that contains a blank with a tab, and quotes names with special characters. */
function nameIn(line: string): string {
  const quoted = /^\+\+\+ "b\/(.*)"$/.exec(line)?.[1]
  if (quoted === undefined) return line.slice('+++ b/'.length).replace(/\t$/, '')
  return quoted.replace(/\\([0-7]{3}|.)/g, (_, sign: string) =>
    sign.length === 3 ? String.fromCharCode(Number.parseInt(sign, 8)) : (letters[sign] ?? sign),
  )
}
