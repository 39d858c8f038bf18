import { fileSystemName } from '@farhand/protocol/wire/path-problem'

/** How the names of files begin that had to be staged in the folder of their target. The scan ignores such names. */
export const besidePrefix = '.farhand-incoming-'

/** Names that are never synced, at any depth: `.git`, our own folder, and files that are being staged (S9). */
export function isNeverSynced(name: string): boolean {
  return (name.charCodeAt(0) === 46 && name.toLowerCase() === '.git') || isOwnPath(name)
}

// A part that begins with a dot, as a file system may see it: nearly no path has one.
const mayBeOurs = /(?:^|[/\\])\p{Default_Ignorable_Code_Point}*\./u

/**
 * Whether this path is one that Farhand keeps for itself, however a disk would spell it. Those of folders inside the
 * workspace too: a run that could write there could fake which process is at work in them.
 */
export function isOwnPath(path: string): boolean {
  if (!mayBeOurs.test(path)) return false
  return path.split(/[/\\]/).some((part) => {
    const seen = fileSystemName(part)
    return seen === '.farhand' || seen.startsWith(besidePrefix)
  })
}
