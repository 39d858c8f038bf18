import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import path from 'node:path'
import { sleep } from '@farhand/kit/sleep'
import { askDaemon } from './ask-daemon.ts'
import { type DaemonAnswer, daemonFolder } from './daemon-protocol.ts'
import { isOlder } from './decide-keeping.ts'

export type EnsureDaemonOptions = {
  /** Whose folders it keeps. */
  state: string
  version: string
  /** The program and its first arguments, which is then told `daemon --state <state>`. */
  self: readonly [string, ...string[]]
  env: Readonly<Record<string, string | undefined>>
  /** Told when an older one gives way. */
  onReplaced?: (old: DaemonAnswer) => void
}

const lookMs = 50
const startMs = 15_000
// One that is there and stuck takes as long for each question as somebody has patience.
const lastLookMs = 500
const mostLogBytes = 100_000

/**
 * The daemon of this user, started if there is none; an older one gives way, and what it keeps goes on meanwhile. Null
 * if there is none to be had: folders are kept all the same, but nobody starts again what dies.
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
      // It had to leave the place to one that was about to end, or to one that is about to begin.
      if (!there || performance.now() - since > startMs / 3) return await lastLook(state)
      started = begin(options)
    }
    await sleep(lookMs)
  }
}

/** Somebody else may have been quicker by a moment. */
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
  // It must not grow for ever; but one that finds another at work must not wipe out what that one says.
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
