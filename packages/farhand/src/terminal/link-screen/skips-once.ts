import type { SyncNote } from '@farhand/sync/engine/sync-notes'

/**
 * Passes notes on, but each skipped file only once for each reason and size. Ignored files are passed on when folder and
 * run are in step: until then a rule from the run may still include them.
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
      // It is synced now: if it is skipped again later, the user has to know.
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
