import { spawn } from 'node:child_process'
import { closeSync, existsSync, type FSWatcher, mkdirSync, openSync, statSync, watch } from 'node:fs'
import { sleep } from '@farhand/kit/sleep'
import { lockHolder } from '@farhand/sync/state/lock-state'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { readServeSettings } from '../request-settings/serve-settings.ts'
import { BackgroundLinks } from './background-links.ts'
import { askDevice, callDevice } from './call-device.ts'
import { isOlder } from './decide-keeping.ts'
import { deviceFolder, deviceLog } from './device-folder.ts'
import { DeviceAnswer, deviceProtocolVersion } from './device-protocol.ts'
import { mostLogBytes } from './shorten-log.ts'

export type EnsureDeviceOptions = {
  /** The state folder. */
  state: string
  version: string
  /** The program and its first arguments; `device --state <state>` is appended. */
  self: readonly [string, ...string[]]
  env: Readonly<Record<string, string | undefined>>
  /** Called when an older process is replaced. */
  onReplaced?: (old: DeviceAnswer) => void
}

/** How long it waits at most when no change in its folder says that the process is there. */
const lookMs = 50
const startMs = 15_000
// Short, because a stuck process makes each request take its full timeout.
const lastLookMs = 500

/** The device process of a state folder, started if there is none; an older one is replaced. Null if it cannot be started. */
export async function ensureDevice(options: EnsureDeviceOptions): Promise<DeviceAnswer | null> {
  const { state, version, onReplaced = () => {} } = options
  const there = await askDevice(state, { ask: 'look' })
  const isOld = there && (there.v < deviceProtocolVersion || isOlder(there.version, version))
  if (there && !isOld) return there
  if (there) {
    onReplaced(there)
    await askDevice(state, { ask: 'stop' })
  }
  const isOther = (says: DeviceAnswer | null) => says !== null && says.pid !== there?.pid
  let started = startDevice(options)
  let ring = () => {}
  const folder = watched(deviceFolder(state), () => ring())
  const since = performance.now()
  try {
    for (;;) {
      const says = await askDevice(state, { ask: 'hello' })
      if (isOther(says)) return says
      if (performance.now() - since > startMs) return null
      if (started.hasEnded()) {
        // Another process had the lock: one that is about to end, or one that has just started.
        if (!there) return await lastLook(state)
        started = startDevice(options)
      }
      await sleep(lookMs, {
        wake: (now) => {
          ring = now
          return () => {}
        },
      })
    }
  } finally {
    folder?.close()
  }
}

function watched(folder: string, changed: () => void): FSWatcher | null {
  try {
    return watch(folder, changed).on('error', () => {})
  } catch {
    // There may be too many watches; then it only takes longer.
    return null
  }
}

/** Another command may have started the process a moment earlier. */
async function lastLook(state: string): Promise<DeviceAnswer | null> {
  for (const since = performance.now(); performance.now() - since < lastLookMs; await sleep(lookMs)) {
    const says = await askDevice(state, { ask: 'hello' })
    if (says) return says
  }
  return null
}

/** Starts the device process if it was killed while folders were to be kept in sync, or requests to be answered. */
export function reviveDevice(options: EnsureDeviceOptions): void {
  if (lockHolder(deviceFolder(options.state)) !== null) return
  const isLive = new BackgroundLinks(new StateFolder(options.state))
    .all()
    .some(({ kept }) => kept.is === 'live')
  if (isLive || readServeSettings(options.state)?.isOn) startDevice(options)
}

/** Has the device process start while this command prepares a link, and has it wait for that until `end` is called. */
export function warmDevice(options: EnsureDeviceOptions): { end(): void } {
  const over = new AbortController()
  const hold = async () => {
    if ((await ensureDevice(options)) === null || over.signal.aborted) return
    const call = callDevice(options.state, { ask: 'hello' }, DeviceAnswer, { heard() {}, ended() {} })
    call?.socket.unref()
    over.signal.addEventListener('abort', () => call?.end())
  }
  // The command that links the folder says what is wrong.
  void hold().catch(() => {})
  return { end: () => over.abort() }
}

type Begun = { hasEnded: () => boolean }

/** What this command has started: it does not start a second one while that may still be loading. */
const begun = new Map<string, Begun>()

/** Starts the device process of a state folder, and does not wait for it. */
function startDevice(options: EnsureDeviceOptions): Begun {
  const before = begun.get(options.state)
  if (before && !before.hasEnded()) return before
  const started = begin(options)
  begun.set(options.state, started)
  return started
}

function begin({ state, self, env }: EnsureDeviceOptions): Begun {
  mkdirSync(deviceFolder(state), { recursive: true, mode: 0o700 })
  const file = deviceLog(state)
  // Truncated when large, but else appended: a process that exits because of another one must not wipe that one's log.
  const log = openSync(file, existsSync(file) && statSync(file).size > mostLogBytes ? 'w' : 'a', 0o600)
  const [program, ...first] = self
  const child = spawn(program, [...first, 'device', '--state', state], {
    cwd: state,
    // Each of its threads would take an arena of memory of its own from the C library of Linux.
    env: { MALLOC_ARENA_MAX: '2', ...env },
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  child.unref()
  let hasEnded = false
  for (const end of ['error', 'exit'] as const)
    child.on(end, () => {
      hasEnded = true
    })
  return { hasEnded: () => hasEnded }
}
