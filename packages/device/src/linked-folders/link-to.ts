import { DeviceId, newId } from '@farhand/protocol/wire/ids'
import type { Link, StateFolder } from '@farhand/sync/state/state-folder'
import type { LinkedRun } from '../device-process/device-protocol.ts'

/** Links a folder to a run, and saves that. */
export function linkTo(folder: string, { url, token, at }: LinkedRun, state: StateFolder): Link {
  const now = state.find(folder)
  // The command that asked for it has saved it already.
  if (now && now.at.run === at.run && now.url === url && now.token === token) return now
  const { device = newId(DeviceId, 'dev'), generations = [] } = state.identity(folder, at) ?? {}
  const link: Link = { folder, url, token, at, wins: now?.wins ?? 'disk', device, generations }
  state.save(link)
  return link
}
