import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import path from 'node:path'
import { sleep } from '@farhand/kit/sleep'
import { askDaemon } from './ask-daemon.ts'
import { type DaemonAnswer, daemonFolder } from './daemon-protocol.ts'
import { isOlder } from './decide-keeping.ts'

export type EnsureDaemonOptions = {
  /** The state folder. */
  state: string
  version: string
  /** The program and its first arguments; `daemon --state <state>` is appended. */
  self: readonly [string, ...string[]]
  env: Readonly<Record<string, string | undefined>>
  /** Called when an older daemon is replaced. */
  onReplaced?: (old: DaemonAnswer) => void
}

const lookMs = 50
const startMs = 15_000
// Short, because a stuck daemon makes each request take its full timeout.
const lastLookMs = 500
const mostLogBytes = 100_000

/**
 * The user's daemon, started if there is none. An older daemon is replaced; the links it started go on meanwhile. Null
 * if no daemon can be started: links still work, but are not restarted when they die.
 */
export async function ensureDaemon(options: EnsureDaemonOptions): Promise<DaemonAnswer | null> {
  const { state, version, onReplaced = () => {} } = options
  const there = await askDaemon(state, 'look')
  if (there && !isOlder(there.version, version)) return there
  if (there) {
    onReplaced(there)
    await askDaemon(state, 'stop')
  }
  const isOther = (says: DaemonAnswer | null) => says !== null && says.pid !== there?.pid
  let started = begin(options)
  const since = performance.now()
  for (;;) {
    const says = await askDaemon(state, 'hello')
    if (isOther(says)) return says
    if (performance.now() - since > startMs) return null
    if (started.hasEnded()) {
      // Another daemon had the lock: one that is about to end, or one that has just started.
      if (!there || performance.now() - since > startMs / 3) return await lastLook(state)
      started = begin(options)
    }
    await sleep(lookMs)
  }
}

/** Another process may have started the daemon a moment earlier. */
async function lastLook(state: string): Promise<DaemonAnswer | null> {
  for (const since = performance.now(); performance.now() - since < lastLookMs; await sleep(lookMs)) {
    const says = await askDaemon(state, 'hello')
    if (says) return says
  }
  return null
}

function begin({ state, self, env }: EnsureDaemonOptions): { hasEnded: () => boolean } {
  const place = daemonFolder(state)
  mkdirSync(place, { recursive: true, mode: 0o700 })
  const file = path.join(place, 'daemon.log')
  // Truncated when large, but else appended: a daemon that exits because of another one must not wipe that one's log.
  const log = openSync(file, existsSync(file) && statSync(file).size > mostLogBytes ? 'w' : 'a', 0o600)
  const [program, ...first] = self
  const child = spawn(program, [...first, 'daemon', '--state', state], {
    cwd: state,
    env: { ...env },
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
