export type StagedEntries = {
  /** The input for `git update-index --index-info`, each entry ended by NUL. */
  info: Buffer
  /** Paths with merge conflicts; our side is taken. */
  unmerged: string[]
  submodules: string[]
}

/** Parses the output of `git ls-files --stage -z`. */
export function stagedEntries(printed: Buffer): StagedEntries {
  const kept: Buffer[] = []
  const unmerged = new Set<string>()
  const submodules: string[] = []
  for (let from = 0; from < printed.length; ) {
    const end = printed.indexOf(0, from)
    const line = printed.subarray(from, end + 1)
    from = end + 1
    const tab = line.indexOf(9)
    // Paths are kept as bytes: they need not be valid text.
    const [mode = '', object = '', stage = ''] = line.subarray(0, tab).toString('latin1').split(' ')
    const path = () => line.subarray(tab + 1, -1).toString('utf8')
    if (stage !== '0') unmerged.add(path())
    if (mode === '160000') submodules.push(path())
    if (stage !== '0' && stage !== '2') continue
    kept.push(Buffer.from(`${mode} ${object} 0`, 'latin1'), line.subarray(tab))
  }
  return { info: Buffer.concat(kept), unmerged: [...unmerged], submodules }
}
