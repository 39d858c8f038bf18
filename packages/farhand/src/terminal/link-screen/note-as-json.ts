import type { SyncNote } from '@farhand/sync/engine/sync-notes'

/** A note as `farhand link --json` prints it. Programs rely on these fields: add new ones, never change one. */
export function noteAsJson(note: SyncNote, now: number): Record<string, unknown> {
  switch (note.is) {
    case 'connection': {
      const { state } = note
      if (state.is !== 'offline') return { event: 'connection', state: state.is }
      const retryInMs = state.retryAt === null ? null : Math.max(0, Math.round(state.retryAt - now))
      const { why, listening } = state
      return { event: 'connection', state: 'offline', why, retryInMs, ...(listening && { listening }) }
    }
    case 'kept': {
      const { path, entry, why, eventId } = note
      return { event: 'kept', path, hash: entry.hash, mode: entry.mode, why, eventId }
    }
    case 'conflict': {
      const { path, entry, eventId, here, lost, won, isGone } = note
      return { event: 'conflict', path, hash: entry.hash, mode: entry.mode, eventId, here, lost, won, isGone }
    }
    case 'skipped':
      return { event: 'skipped', ...note.skip, ...(note.inRun && { inRun: true }) }
    default: {
      const { is: event, ...rest } = note
      return { event, ...rest }
    }
  }
}
