import type { FileEntry } from '@farhand/protocol/methods/files'
import { sizeInWords } from '../../text/size-in-words.ts'
import { type Content, type Contents, mostShownBytes } from '../history/contents.ts'
import { shownContent } from '../history/shown-content.ts'
import type { ListedChange } from '../history/with-renames.ts'
import { type PatchFile, type PatchSide, patchText } from './patch-text.ts'

export type MadePatch = { text: string; files: number; leftOut: readonly { path: string; why: string }[] }

/** A patch of the changes, and the files that could not be included, each with the reason. */
export async function makePatch(
  changed: readonly ListedChange[],
  contents: Contents,
  signal: AbortSignal,
): Promise<MadePatch> {
  const files: PatchFile[] = []
  const leftOut: { path: string; why: string }[] = []
  for (let from = 0; from < changed.length; from += 100) {
    const some = changed.slice(from, from + 100)
    const told = some.filter(({ from }) => from === null)
    const entries = told.flatMap(({ before, after }) => [before, after]).filter((entry) => !!entry)
    const found = new Map<string, Content>()
    const all = await contents.shown(entries, signal)
    for (const [nth, { hash }] of entries.entries()) found.set(hash, all[nth]!)
    for (const { path, from, before, after } of some) {
      // A rename needs no contents in the patch.
      if (from && after) {
        files.push({ path, from: from.path, before: nothingIn(from.entry), after: nothingIn(after) })
        continue
      }
      const old = before === undefined ? 'its old contents are not known' : sideOf(before, found)
      const now = sideOf(after, found)
      const why = typeof old === 'string' ? old : typeof now === 'string' ? now : null
      if (why !== null) leftOut.push({ path, why })
      else files.push({ path, before: old as PatchSide | null, after: now as PatchSide | null })
    }
  }
  const notes = leftOut.map(({ path, why }) => `Not in this patch: ${path} (${why})`)
  return { text: patchText(files, notes), files: files.length, leftOut }
}

const nothingIn = ({ mode }: FileEntry): PatchSide => ({ mode, text: '' })

function sideOf(entry: FileEntry | null, found: ReadonlyMap<string, Content>): PatchSide | null | string {
  if (!entry) return null
  const content = found.get(entry.hash)
  if (!content || content.is === 'gone') return 'its contents are no longer stored'
  if (content.is === 'too-large') return `larger than ${sizeInWords(mostShownBytes)}`
  const shown = shownContent(content.bytes)
  return shown.is === 'text' && shown.isUtf8 ? { mode: entry.mode, text: shown.text } : 'not a text file'
}
