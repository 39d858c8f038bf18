import type { DiskFolder } from '@farhand/sync/engine/disk-folder'

/** A folder that is still being opened: each call waits for it, so that the caller can go on with other work. */
export function openingFolder(opening: Promise<DiskFolder>): DiskFolder {
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
