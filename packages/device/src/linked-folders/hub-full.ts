import { Refusal } from '@farhand/client/requests/refusal'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { SyncNote } from '@farhand/sync/engine/sync-notes'
import { count } from '../wording/count.ts'

const next = 'free some space where the hub keeps its data'

/** A note that the hub's disk has no room for these files; without paths, for any change. */
export function hubFull(paths: readonly WorkspacePath[]): SyncNote {
  if (paths.length === 0)
    return { is: 'trouble', path: null, why: `the hub answers, but has no room left; ${next}` }
  const others = paths.length > 1 ? ` and ${count(paths.length - 1, 'other')}` : ''
  const why = `the hub has no room left for it${others}; ${next}`
  return { is: 'trouble', path: paths[0]!, why }
}

/** Turns the troubles of a folder that waits for its hub into notes. A full hub answers, so it is not shown as offline. */
export function troubleAtBeginning(
  on: (note: SyncNote) => void,
): (trouble: unknown, retryMs: number) => void {
  let last: 'full' | 'offline' | null = null
  return (trouble, retryMs) => {
    const before = last
    if (trouble instanceof Refusal && trouble.code === 'storage.full') {
      last = 'full'
      if (before === 'offline') on({ is: 'connection', state: { is: 'live' } })
      if (before !== 'full') on(hubFull([]))
      return
    }
    last = 'offline'
    const why = trouble instanceof Error ? trouble.message : String(trouble)
    on({ is: 'connection', state: { is: 'offline', why, retryAt: Date.now() + retryMs } })
  }
}
