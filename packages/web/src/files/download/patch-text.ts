import { unifiedDiff } from '@farhand/kit/unified-diff'

export type PatchSide = { mode: string; text: string }
/** A file before and after the change; null means no file. `from`: the old path, for a rename without changes. */
export type PatchFile = {
  path: string
  from?: string
  before: PatchSide | null
  after: PatchSide | null
}

const link = '120000'

/** A patch for `git apply`. `notes` come first, where git ignores them. */
export function patchText(files: readonly PatchFile[], notes: readonly string[] = []): string {
  const head = notes.map((note) => `${note.replace(/[\r\n]/g, ' ')}\n`).join('')
  return head + (head && '\n') + files.map(filePatch).join('')
}

function filePatch({ path, from = path, before, after }: PatchFile): string {
  // Git cannot turn a file into a link: delete the file and add the link.
  if (before && after && (before.mode === link) !== (after.mode === link))
    return filePatch({ path, before, after: null }) + filePatch({ path, before: null, after })
  const [a, b] = [quoted(`a/${from}`), quoted(`b/${path}`)]
  const lines = [`diff --git ${a} ${b}`]
  if (!before && after) lines.push(`new file mode ${after.mode}`)
  if (before && !after) lines.push(`deleted file mode ${before.mode}`)
  if (before && after && before.mode !== after.mode)
    lines.push(`old mode ${before.mode}`, `new mode ${after.mode}`)
  if (from !== path)
    lines.push('similarity index 100%', `rename from ${quoted(from)}`, `rename to ${quoted(path)}`)
  const hunks = unifiedDiff(before?.text ?? '', after?.text ?? '')
  // Without the tab, git would end a name at its first space.
  const ended = (name: string) => (name.includes(' ') && !name.startsWith('"') ? `${name}\t` : name)
  if (hunks.length > 0)
    lines.push(`--- ${before ? ended(a) : '/dev/null'}`, `+++ ${after ? ended(b) : '/dev/null'}`)
  for (const { before: old, after: now, lines: inside } of hunks)
    lines.push(`@@ -${old.from},${old.count} +${now.from},${now.count} @@`, inside.join('\n'))
  return `${lines.join('\n')}\n`
}

const short: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\t': '\\t',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
}

/** Quotes a name as git does. */
function quoted(name: string): string {
  const inside = name.replace(
    // Control characters in ASCII only.
    /(?![\x80-\u{10ffff}])\p{Cc}|["\\]/gu,
    (letter) => short[letter] ?? `\\${letter.charCodeAt(0).toString(8).padStart(3, '0')}`,
  )
  return inside === name ? name : `"${inside}"`
}
