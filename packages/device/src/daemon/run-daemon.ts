import { lockHolder, lockState } from '@farhand/sync/state/lock-state'
import {
  type DaemonAnswer,
  type DaemonRequest,
  daemonFolder,
  daemonProtocolVersion,
} from './daemon-protocol.ts'
import { openDaemonSocket } from './daemon-socket.ts'
import { LinkSupervisor, type LinkSupervisorOptions } from './link-supervisor.ts'

export type DaemonOptions = Omit<LinkSupervisorOptions, 'isWanted'> & { signal: AbortSignal }

/**
 * Runs the only daemon of a state folder until there are no live links or it is asked to end. If there is one already,
 * returns its process.
 */
export async function runDaemon({ signal, ...options }: DaemonOptions): Promise<{ holder: number } | null> {
  const place = daemonFolder(options.kept.state.root)
  const lock = lockState(place)
  if ('holder' in lock) return { holder: lock.holder }
  const over = new AbortController()
  // If the state folder was removed, there is nothing to do.
  const supervisor = new LinkSupervisor({ ...options, isWanted: () => lockHolder(place) === process.pid })
  const since = Date.now()
  const answer = (ask: DaemonRequest['ask']): DaemonAnswer => {
    if (ask === 'look') supervisor.look()
    // After the answer is sent.
    if (ask === 'stop') setImmediate(() => over.abort())
    const { version } = options
    return { v: daemonProtocolVersion, pid: process.pid, version, since, deaths: supervisor.deaths() }
  }
  try {
    const door = await openDaemonSocket(options.kept.state.root, answer)
    try {
      await supervisor.run(AbortSignal.any([signal, over.signal]))
    } finally {
      door.close()
    }
  } finally {
    lock.release()
  }
  return null
}
