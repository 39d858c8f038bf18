import { existsSync } from 'node:fs'
import process from 'node:process'
import { lockHolder, lockState } from '@farhand/sync/state/lock-state'
import { deviceFolder } from './device-folder.ts'
import { type DeviceAnswer, type DeviceRequest, deviceProtocolVersion } from './device-protocol.ts'
import { type DeviceCaller, openDeviceSocket } from './device-socket.ts'
import { LinkSupervisor, type LinkSupervisorOptions } from './link-supervisor.ts'

export type DeviceOptions = Omit<LinkSupervisorOptions, 'isWanted' | 'callers'> & {
  signal: AbortSignal
  /** Other work for which the process stays, and which looks again at what is wanted when the links do. */
  also?: { isOn: boolean; look(): void; close(): Promise<void> }
}

/**
 * Runs the only device process of a state folder until there are no live links or it is asked to end. If there is one
 * already, returns its process id.
 */
export async function runDevice({
  signal,
  also,
  ...options
}: DeviceOptions): Promise<{ holder: number } | null> {
  const { root } = options.kept.state
  // It may have been removed while this process was starting, and the lock would bring it back.
  if (!existsSync(root)) return null
  const place = deviceFolder(root)
  const lock = lockState(place)
  if ('holder' in lock) return { holder: lock.holder }
  const over = new AbortController()
  let callers = () => 0
  const supervisor = new LinkSupervisor({
    ...options,
    // If the state folder was removed, there is nothing to do.
    isWanted: () => lockHolder(place) === process.pid,
    callers: () => callers() + (also?.isOn ? 1 : 0),
  })
  const since = Date.now()
  const answer = (): DeviceAnswer => {
    const { version } = options
    return { v: deviceProtocolVersion, pid: process.pid, version, since, deaths: supervisor.deaths() }
  }
  const serve = (request: DeviceRequest, { say, hangUp, over: hungUp }: DeviceCaller) => {
    const until = (end: () => void) => {
      if (hungUp.aborted) end()
      else hungUp.addEventListener('abort', end, { once: true })
    }
    switch (request.ask) {
      case 'stop':
        // After the answer is sent.
        setImmediate(() => over.abort())
        return say(answer())
      case 'look':
        supervisor.look()
        also?.look()
        return say(answer())
      case 'hello':
        return say(answer())
      case 'settle':
        return void supervisor.settle(request.folder).then(() => say(answer()))
      case 'link':
        return void supervisor.link(request.folder, request.run, request.once, say).then(until, hangUp)
      case 'follow':
        return until(supervisor.follow(request.folder, say))
      case 'watch':
        return until(supervisor.watch(say))
    }
  }
  try {
    const door = await openDeviceSocket(root, serve)
    callers = door.callers
    also?.look()
    try {
      await supervisor.run(AbortSignal.any([signal, over.signal]))
    } finally {
      await also?.close()
      door.close()
    }
  } finally {
    lock.release()
  }
  return null
}
