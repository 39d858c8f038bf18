import type { SyncNote } from '@farhand/sync/engine/sync-notes'

/**
 * Passes notes on, but what is not synced once for each path, reason and size. That something is ignored is said when
 * folder and run are in step: until then it may still turn out to be synced all the same.
 */
export function skipsOnce(show: (note: SyncNote) => void): (note: SyncNote) => void {
  const said = new Map<string, number | undefined>()
  const ignored = new Map<string, SyncNote>()
  return (note) => {
    if (note.is === 'skipped') {
      const { path, why, size } = note.skip
      const what = `${why} ${path}`
      if (said.has(what) && (size === undefined || said.get(what) === size)) return
      if (why === 'ignored') return void ignored.set(path, note)
      said.set(what, size)
    }
    if (note.is === 'applied' || note.is === 'sent') {
      ignored.delete(note.path)
      // It is synced after all: that it is left out again would be news.
      said.delete(`too-large ${note.path}`)
    }
    if (note.is === 'in-step') {
      for (const [path, skipped] of ignored) {
        said.set(`ignored ${path}`, undefined)
        show(skipped)
      }
      ignored.clear()
    }
    show(note)
  }
}
