import { accessSync, constants } from 'node:fs'
import type { DiskFolder, Seen } from '@farhand/sync/engine/disk-folder'
import type { SyncNote } from '@farhand/sync/engine/sync-notes'
import { defaultMaxFileBytes } from '@farhand/sync/state/size-limit'
import type { Link, StateFolder } from '@farhand/sync/state/state-folder'
import { looksSecret } from '../first-look/suspicious-files.ts'
import { leftOutPaths, userRules } from '../first-look/user-rules.ts'
import type { GitEnv } from '../git/run-git.ts'

type Given = {
  state: StateFolder
  maxFileBytes: number | undefined
  env: GitEnv
  home: string
  /** Whether this process has ended its earlier thread for this folder. */
  isOwnLockDead: boolean
}

/** Opens a linked folder; `disk` can be used at once, and waits for that. */
export function openLinkedDisk(
  link: Link,
  { state, maxFileBytes, isOwnLockDead, ...user }: Given,
): { disk: DiskFolder; opening: Promise<DiskFolder> } {
  const memory = state.memoryOf(link.folder, link.at)
  const isNear = link.wins === 'disk'
  const opening = Promise.all([
    import('@farhand/sync/disk/open-disk-folder'),
    import('@farhand/sync/state/memory-file'),
    isNear ? userRules(link.folder, state, user) : { leftOut: leftOutPaths(state, link.folder) },
  ]).then(([{ openDiskFolder }, { rememberedLimit }, rules]) =>
    openDiskFolder({
      root: link.folder,
      state: memory,
      maxFileBytes: maxFileBytes ?? rememberedLimit(memory) ?? defaultMaxFileBytes,
      ...rules,
      ...(isNear ? { decisions: state.placeOf(link.folder) } : {}),
      holdForGit: isNear,
      mayMakeRepositories: !isNear,
      isOwnLockDead,
    }),
  )
  opening.catch(() => {})
  return { disk: openingFolder(opening), opening }
}

/** A folder that is still being opened: each call waits for it, so that the caller can go on with other work. */
function openingFolder(opening: Promise<DiskFolder>): DiskFolder {
  const soon = (act: (disk: DiskFolder) => void) => void opening.then(act, () => {})
  return {
    leftBehind: () => opening.then((disk) => disk.leftBehind()),
    next: (signal) => opening.then((disk) => disk.next(signal)),
    look: (paths) => opening.then((disk) => disk.look(paths)),
    withhold: (paths) => opening.then((disk) => disk.withhold(paths)),
    readmit: (agreed) => opening.then((disk) => disk.readmit(agreed)),
    open: (path, entry) => opening.then((disk) => disk.open(path, entry)),
    patch: (...given) => opening.then((disk) => disk.patch?.(...given) ?? null),
    stagePatched: (...given) => opening.then((disk) => disk.stagePatched?.(...given) ?? null),
    stage: (bytes) => opening.then((disk) => disk.stage(bytes)),
    dropStaged: (staged) => soon((disk) => disk.dropStaged(staged)),
    apply: (changes) => opening.then((disk) => disk.apply(changes)),
    settled: (applies) => soon((disk) => disk.settled(applies)),
    openRescued: (id) => opening.then((disk) => disk.openRescued(id)),
    release: (ids) => soon((disk) => disk.release(ids)),
    quiet: () => opening.then((disk) => disk.quiet?.()),
    limitSize: (bytes) => soon((disk) => disk.limitSize(bytes)),
    close: () =>
      opening.then(
        (disk) => disk.close(),
        () => {},
      ),
  }
}

/** Whether a file of the user's looks like a secret; the far side holds nothing back. */
export const suspicion = ({ folder, wins }: Link) =>
  wins === 'disk' ? { suspect: (seen: Seen) => looksSecret(folder, seen) } : {}

/** A note that a folder can be sent but not written; none if it can be written. */
export function unwritableFolderNotes(folder: string, access = accessSync): SyncNote[] {
  try {
    access(folder, constants.W_OK)
    return []
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason = code === 'EROFS' ? 'its disk is mounted read-only' : 'this user may not write there'
    const why = `this folder cannot be written (${reason}): changes from the run do not arrive here until it can`
    return code === 'EROFS' || code === 'EACCES' ? [{ is: 'trouble', path: null, why, code }] : []
  }
}
