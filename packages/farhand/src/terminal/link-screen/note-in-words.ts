import type { DeviceNames } from '@farhand/device/linked-folders/device-names'
import { lineInWords, pathInWords } from '@farhand/device/wording/path-in-words'
import { shellWord } from '@farhand/device/wording/shell-word'
import type { SeenAuthor } from '@farhand/protocol/wire/seen-event'
import type { Skip, SkipReason } from '@farhand/sync/engine/disk-folder'
import type { SyncNote } from '@farhand/sync/engine/sync-notes'
import { authorInWords } from '../printing/author-in-words.ts'
import { sizeAbove, sizeInWords } from '../printing/file-size.ts'
import type { paint } from '../printing/paint.ts'

/** The names in a line: the command, this folder's device, and its files relative to the working folder. */
export type Names = {
  farhand: string
  self: string
  /** The command that links this folder again. */
  again?: string
  /** The state folder, if the user named one. */
  state?: string | undefined
  folder?: string
  pathFor: (path: string) => string
  devices?: DeviceNames
}

/** A note as a line; null for notes that only change the line at the bottom. */
export function noteInWords(
  note: SyncNote,
  { farhand, self, again = `${farhand} link`, state, pathFor, devices }: Names,
  { dim, yellow, red }: ReturnType<typeof paint>,
): string | null {
  const place = placeWords(state)
  const putBack = ({ path, eventId }: { path: string; eventId: number }) =>
    `Put it back: ${farhand} restore ${shellWord(`${pathFor(path)}@${eventId}`)}${place}`
  switch (note.is) {
    case 'sent':
      return `→ ${pathInWords(note.path)}${note.deed === 'deleted' ? red('  deleted') : ''}`
    case 'applied': {
      const by = dim(`  by ${authorInWords(note.by, self, devices)}`)
      return `← ${pathInWords(note.path)}${note.deed === 'deleted' ? red('  deleted') : ''}${by}`
    }
    case 'kept':
      return yellow(
        `! ${pathInWords(note.path)}  your version gave way (${keptWhy[note.why]}) and is kept. ${putBack(note)}`,
      )
    case 'conflict': {
      const { lost, won, here, isGone } = note
      const who = (by: SeenAuthor) => authorInWords(by, self, devices)
      const winner = here === 'won' ? 'this folder' : won ? who(won) : 'another one'
      const loser = here === 'lost' ? 'your version' : `the version of ${who(lost)}`
      const how = `${winner} had ${isGone ? 'deleted or moved' : 'changed'} the file meanwhile`
      return yellow(`! ${pathInWords(note.path)}  ${loser} gave way (${how}) and is kept. ${putBack(note)}`)
    }
    case 'skipped': {
      const { path, why, size } = note.skip
      if (why === 'newly-included' || why === 'looks-secret') {
        const allow = `${farhand} allow ${shellWord(pathFor(path))}${place}`
        return yellow(`! ${pathInWords(path)}  held back: ${skipWhy[why]}. To send it: ${allow}`)
      }
      // A user has written the rule that leaves it out: that is no trouble.
      if (note.inRun && why !== 'ignored') {
        const raise = `Raise it: ${again} --max-file ${sizeAbove(size ?? 0)}`
        const because =
          why === 'too-large' ? `${sizeInWords(size ?? 0)} is larger than the limit. ${raise}` : skipWhy[why]
        return yellow(`! ${pathInWords(path)}  no longer in step: ${because}`)
      }
      return dim(`· ${pathInWords(path)}  not synced: ${whySkipped(note.skip)}`)
    }
    case 'blind':
      return yellow(`! Changes are found by looking again and again, not at once: ${blindWhy(note.why)}`)
    case 'trouble':
      return yellow(
        `! ${note.path === null ? '' : `${pathInWords(note.path)}  `}${lineInWords(note.why)} (is tried again)`,
      )
    default:
      return null
  }
}

/** The command that lists the versions of a file, with a placeholder for its path. */
export const historyWords = ({ farhand, state }: Names) => `${farhand} history <path>${placeWords(state)}`

const placeWords = (state: string | undefined) => (state === undefined ? '' : ` --state ${shellWord(state)}`)

/** Why the system does not report changes of files, and what the user can do about it. */
export function blindWhy(code: string): string {
  if (code === 'ENOSPC')
    return 'the system lets no more folders be watched. `sudo sysctl fs.inotify.max_user_watches=1048576` allows more.'
  if (code === 'EMFILE')
    return 'too many programs of this user watch folders. `sudo sysctl fs.inotify.max_user_instances=1024` allows more.'
  return `the system says ${code}.`
}

const keptWhy = {
  overruled: 'another one counts',
  replaced: 'it was replaced',
  deleted: 'it was deleted elsewhere',
  offered: 'it was offered only',
}

export const skipWhy: Record<SkipReason, string> = {
  ignored: 'an ignore rule leaves it out',
  'too-large': 'larger than the limit; --max-file raises it',
  unreadable: 'this user may not read it',
  special: 'neither a file nor a symlink',
  'bad-name': 'other systems do not allow this name, or it is reserved for git or Farhand',
  clash: 'another file here differs from it only in its Unicode form, or in upper and lower case',
  'in-the-way': 'something that is not synced is in its place',
  'hub-data': 'a hub keeps its data here',
  'newly-included': 'it was ignored before, and a rule from the run includes it now',
  'looks-secret': 'it looks like a secret',
  repository: 'git would treat its folder as a repository, and run the programs that its settings name',
}

const skipShort: Record<SkipReason, string> = {
  ignored: 'ignored',
  'too-large': 'too large',
  unreadable: 'cannot be read',
  special: 'no plain file',
  'bad-name': 'name not allowed everywhere',
  clash: 'same name as another file',
  'in-the-way': 'in the way',
  'hub-data': "a hub's data",
  'newly-included': 'a rule from the run includes it',
  'looks-secret': 'looks like a secret',
  repository: 'part of a git repository',
}

/** The reason why a file is not synced, in a few words. */
export const skipInShort = (why: string): string => (skipShort as Record<string, string>)[why] ?? why

/** The reason why this file is not synced, with its size or name where that matters. */
export function whySkipped({ path, why, size }: Skip): string {
  if (why === 'too-large' && size !== undefined)
    return `it has ${sizeInWords(size)}, and the limit is less; --max-file ${sizeAbove(size)} would let it in`
  // Paths are in NFC: one in another form clashes with its NFC form; one that has no other form clashes in upper and lower case.
  if (why === 'clash' && path.normalize('NFC') !== path)
    return 'another file here has the same name, in another Unicode form'
  if (why === 'clash' && path.normalize('NFD') === path)
    return 'another file here differs from it only in upper and lower case'
  return skipWhy[why]
}
