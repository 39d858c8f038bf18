import { lockHolder, lockState } from '@farhand/sync/lock-state'
import { openDaemonDoor } from './daemon-socket.ts'
import { type DaemonAsk, type DaemonSays, daemonPlace, daemonWords } from './daemon-protocol.ts'
import { Keeper, type KeeperOptions } from './link-supervisor.ts'

export type DaemonOptions = Omit<KeeperOptions, 'isWanted'> & { signal: AbortSignal }

/**
 * Is the one daemon of a state folder until there is nothing to keep or it is asked to end; gives the process that is
 * it already, if there is one.
 */
export async function runDaemon({ signal, ...options }: DaemonOptions): Promise<{ holder: number } | null> {
  const place = daemonPlace(options.kept.state.root)
  const lock = lockState(place)
  if ('holder' in lock) return { holder: lock.holder }
  const over = new AbortController()
  // A folder that was removed with everything in it has nothing that could be kept.
  const keeper = new Keeper({ ...options, isWanted: () => lockHolder(place) === process.pid })
  const since = Date.now()
  const answer = (ask: DaemonAsk['ask']): DaemonSays => {
    if (ask === 'look') keeper.look()
    // Not before it has been answered.
    if (ask === 'stop') setImmediate(() => over.abort())
    const { version } = options
    return { v: daemonWords, pid: process.pid, version, since, deaths: keeper.deaths() }
  }
  try {
    const door = await openDaemonDoor(options.kept.state.root, answer)
    try {
      await keeper.run(AbortSignal.any([signal, over.signal]))
    } finally {
      door.close()
    }
  } finally {
    lock.release()
  }
  return null
}
