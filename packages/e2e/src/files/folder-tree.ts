import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { WorkspaceTree } from '@farhand/protocol/files/workspace-tree'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'

/** Every file by its path, as mode and hash in one word, so that two trees are compared by comparing maps. */
export type FolderTree = Map<string, string>

export const wordFor = ({ mode, hash }: FileEntry) => `${mode} ${hash}`

export const hashOf = (bytes: string | Uint8Array) =>
  `sha256_${createHash('sha256').update(bytes).digest('hex')}` as FileEntry['hash']

/** What is in a folder, read from the disk with no help from what is tested here. */
export function treeOf(root: string): FolderTree {
  const tree: FolderTree = new Map()
  // Of two spellings of one name the composed one counts (S10).
  const set = (path: string, word: string) => {
    const composed = path.normalize('NFC')
    if (path === composed || !tree.has(composed)) tree.set(composed, word)
  }
  const walk = (folder: string) => {
    for (const name of unlessGone(() => readdirSync(join(root, folder)), [])) {
      if (['.git', '.farhand'].includes(name.toLowerCase())) continue
      const path = folder === '' ? name : `${folder}/${name}`
      const place = join(root, path)
      const stats = unlessGone(() => lstatSync(place), null)
      const target = stats?.isSymbolicLink() && unlessGone(() => readlinkSync(place, 'buffer'), null)
      if (stats?.isDirectory()) walk(path)
      else if (target) set(path, `120000 ${hashOf(target)}`)
      else if (stats?.isFile()) set(path, `${stats.mode & 0o100 ? '100755' : '100644'} ${hashOfFile(place)}`)
    }
  }
  walk('')
  return tree
}

/** What was listed may be gone when it is looked at, or be another thing, or be below what is a file by now. */
function unlessGone<Found>(look: () => Found, otherwise: Found): Found {
  try {
    return look()
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['ENOENT', 'ENOTDIR', 'EINVAL'].includes(code)) return otherwise
    throw error
  }
}

/** What the log says there is (S12). */
export function treeOfLog(events: Iterable<SeenEvent>): FolderTree {
  const fold = new WorkspaceTree()
  for (const event of events) fold.apply(event)
  return new Map([...fold.files()].map(({ path, entry }) => [path, wordFor(entry)]))
}

/** The last event that changed what the log says there is; 0 if none did. */
export function lastChange(events: Iterable<SeenEvent>): number {
  const fold = new WorkspaceTree()
  let last = 0
  for (const event of events) if (fold.apply(event).changes.length > 0) last = event.id
  return last
}

/** Where two trees differ, in words; none if they do not. */
export function differences(mine: FolderTree, theirs: FolderTree): string[] {
  const paths = new Set([...mine.keys(), ...theirs.keys()])
  return [...paths].flatMap((path) => {
    const [here, there] = [mine.get(path) ?? 'nothing', theirs.get(path) ?? 'nothing']
    return here === there ? [] : [`${JSON.stringify(path)}: ${here.slice(0, 22)} / ${there.slice(0, 22)}`]
  })
}

function hashOfFile(place: string): string {
  try {
    return hashOf(readFileSync(place))
  } catch (error) {
    // Renamed away in between, or not ours to read: it is not equal to anything then.
    return String((error as NodeJS.ErrnoException).code)
  }
}
