const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/

/** What a patch without context adds to each file, as text. Files that are no text are not in it. */
export function addedText(patch: string): Map<string, string> {
  const added = new Map<string, string[]>()
  let at: string[] = []
  let left = 0
  for (const line of patch.split('\n')) {
    if (left > 0) {
      // What is added may itself look like the head of a file: only the count tells.
      if (line.startsWith('\\')) continue
      left -= 1
      if (line.startsWith('+')) at.push(line.slice(1))
      continue
    }
    const [isHunk, minus = '1', plus = '1'] = hunk.exec(line) ?? []
    if (isHunk !== undefined) left = Number(minus) + Number(plus)
    else if (line.startsWith('+++ b/')) {
      at = []
      // Git ends a name that has a blank in it with a tab.
      added.set(line.slice('+++ b/'.length).replace(/\t$/, ''), at)
    }
  }
  return new Map([...added].map(([path, lines]) => [path, lines.join('\n')]))
}
