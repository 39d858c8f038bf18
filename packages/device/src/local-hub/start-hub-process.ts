import { spawn } from 'node:child_process'
import { closeSync, fstatSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import type { Exit } from '../trouble/trouble.ts'
import type { LocalHub } from './local-hub.ts'
import type { StartParts } from './local-hub-parts.ts'
import type { StartSeen } from './start-step.ts'

export type HubStart = {
  now(): Exclude<StartSeen['child'], null>
  /** The last lines of its output. */
  words(): string
  readonly pid: number | undefined
  end(): void
}

// Settings for another hub: one that the user starts themselves, or connects to.
const ofOthers =
  /^FARHAND_(URL|TOKEN|DATA|HOST|PORT|PUBLIC_URL|ALLOWED_HOSTS|RUNNER_TOKEN|RUNNER_GENERATION)$/
const mostLogBytes = 1024 ** 2
const shownLines = 3

/** Starts a hub as a detached process, which neither dies with the terminal nor keeps it open. */
export function startHubProcess(
  hub: LocalHub,
  port: number,
  stateRoot: string,
  { self, env, exitOf }: Pick<StartParts, 'self' | 'env' | 'exitOf'>,
): HubStart {
  keepLogSmall(hub.log)
  const log = openSync(hub.log, 'a', 0o600)
  const begin = fstatSync(log).size
  const [program, ...first] = self
  const kept = Object.entries(env).filter(([name]) => !ofOthers.test(name))
  const where = ['--data', hub.data, '--port', String(port), ...(hub.isOpen ? ['--host', '0.0.0.0'] : [])]
  const child = spawn(program, [...first, 'hub', ...where], {
    cwd: hub.data,
    env: { FARHAND_LOG_LEVEL: 'warn', ...Object.fromEntries(kept), FARHAND_STATE: stateRoot },
    detached: true,
    // The hub prints a token at its start, which must not be written to a log.
    stdio: ['ignore', 'ignore', log],
  })
  closeSync(log)
  child.unref()
  let ended: { exit: Exit; at: number; why: string } | null = null
  child.on('error', (error) => {
    ended ??= { exit: 'failed', at: Date.now(), why: error.message }
  })
  child.on('exit', (code, signal) => {
    const why = signal ? `it was killed (${signal})` : `it ended with exit code ${code}`
    ended ??= { exit: exitOf(code), at: Date.now(), why }
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

/** One older log file is kept. */
function keepLogSmall(file: string): void {
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 }
  if (size > mostLogBytes) renameSync(file, `${file}.1`)
}
