import type { WorkspacePath } from '@farhand/protocol/workspace-path'
import type { SyncNote } from '@farhand/sync/sync-notes'
import { count } from './link-screen.ts'

/** That what is here does not fit on the hub's disk, as a note. */
export function hubFull(paths: readonly WorkspacePath[]): SyncNote {
  const others = paths.length > 1 ? ` and ${count(paths.length - 1, 'other')}` : ''
  const why = `the hub has no room left for it${others}; free some space where the hub keeps its data`
  return { is: 'trouble', path: paths[0] ?? null, why }
}
