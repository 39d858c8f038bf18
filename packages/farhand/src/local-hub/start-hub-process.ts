import { spawn } from 'node:child_process'
import { closeSync, fstatSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import type { CommandContext } from '../context/command-context.ts'
import type { LocalHub } from './local-hub.ts'
import type { StartSeen } from './start-step.ts'

export type HubStart = {
  now(): Exclude<StartSeen['child'], null>
  /** The last of what it had to say. */
  words(): string
  readonly pid: number | undefined
  /** Nobody needs it any more. */
  end(): void
}

// These are about another hub: one that somebody starts themselves, or talks to.
const ofOthers =
  /^FARHAND_(URL|TOKEN|DATA|HOST|PORT|PUBLIC_URL|ALLOWED_HOSTS|RUNNER_TOKEN|RUNNER_GENERATION)$/
const mostLogBytes = 1024 ** 2
const shownLines = 3

/** Starts a hub in a session of its own, which neither dies with a terminal nor keeps one open. */
export function startHubProcess(
  hub: LocalHub,
  port: number,
  stateRoot: string,
  context: CommandContext,
): HubStart {
  keepLogSmall(hub.log)
  const log = openSync(hub.log, 'a', 0o600)
  const begin = fstatSync(log).size
  const [program, ...first] = context.self
  const kept = Object.entries(context.env).filter(([name]) => !ofOthers.test(name))
  const where = ['--data', hub.data, '--port', String(port), ...(hub.isOpen ? ['--host', '0.0.0.0'] : [])]
  const child = spawn(program, [...first, 'hub', ...where], {
    cwd: hub.data,
    env: { FARHAND_LOG_LEVEL: 'warn', ...Object.fromEntries(kept), FARHAND_STATE: stateRoot },
    detached: true,
    // Its greeting holds a key, which must not lie in a log.
    stdio: ['ignore', 'ignore', log],
  })
  closeSync(log)
  child.unref()
  let ended: { exit: number | null; at: number; why: string } | null = null
  child.on('error', (error) => {
    ended ??= { exit: null, at: Date.now(), why: error.message }
  })
  child.on('exit', (exit, signal) => {
    const why = signal ? `it was killed (${signal})` : `it ended with exit code ${exit}`
    ended ??= { exit, at: Date.now(), why }
  })
  return {
    pid: child.pid,
    end: () => void child.kill(),
    now: () => (ended ? { exit: ended.exit, agoMs: Date.now() - ended.at } : 'runs'),
    words: () => {
      const said = readFileSync(hub.log).subarray(begin).toString('utf8').trim()
      return said.split('\n').slice(-shownLines).join('\n') || ended?.why || ''
    },
  }
}

/** One log of before is kept: what was wrong yesterday is asked about today. */
function keepLogSmall(file: string): void {
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 }
  if (size > mostLogBytes) renameSync(file, `${file}.1`)
}
