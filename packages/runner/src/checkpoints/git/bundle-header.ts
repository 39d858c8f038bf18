/** The header of a git bundle, which precedes its pack. */
export type BundleHeader = {
  /** Its length in bytes: the pack begins after it. */
  length: number
  refs: { name: string; sha: string }[]
}

const newline = 10
const refLine = /^([0-9a-f]{40}) (\S+)$/

/** Reads the header of a git bundle; null if it needs more bytes. Throws if it is not a bundle. */
export function bundleHeader(bytes: Uint8Array): BundleHeader | null {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const refs: BundleHeader['refs'] = []
  for (let from = 0, lines = 0; ; lines += 1) {
    const end = text.indexOf(newline, from)
    if (end === -1) return null
    const line = text.toString('utf8', from, end)
    from = end + 1
    if (lines === 0) {
      if (!/^# v[23] git bundle$/.test(line)) throw new Error('this is not a git bundle')
    } else if (line === '') return { length: from, refs }
    else if (!line.startsWith('-') && !line.startsWith('@')) {
      const [, sha, name] = refLine.exec(line) ?? []
      if (!sha || !name) throw new Error('the git bundle cannot be read')
      refs.push({ name, sha })
    }
  }
}
