import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { readProcessStat } from '@farhand/kit/process-stat'
import { sleep } from '@farhand/kit/sleep'

/** Identifies one process, also if its pid is reused later. The hub writes the same about itself in `hub.json`. */
export type ProcessId = { pid: number; since: string }

const lookMs = 10

/** The current process with this pid; null if there is none, or only a zombie. */
export function identityOf(pid: number): ProcessId | null {
  const since = process.platform === 'linux' ? sinceOnLinux(pid) : sinceByPs(pid)
  return since === null ? null : { pid, since }
}

/** Whether this process is running; a zombie is not. */
export const isThere = ({ pid, since }: ProcessId): boolean => identityOf(pid)?.since === since

/** Waits up to `ms` for the process to end; resolves to whether it did. */
export async function isGoneWithin(id: ProcessId, ms: number): Promise<boolean> {
  const until = performance.now() + ms
  while (isThere(id)) {
    if (performance.now() > until) return false
    await sleep(lookMs)
  }
  return true
}

function sinceOnLinux(pid: number): string | null {
  try {
    return readProcessStat(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.since ?? null
  } catch {
    // The process has ended.
    return null
  }
}

function sinceByPs(pid: number): string | null {
  const env = { LC_ALL: 'C', PATH: '/usr/bin:/bin' }
  try {
    const said = execFileSync('ps', ['-p', String(pid), '-o', 'state=,lstart='], {
      encoding: 'utf8',
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [, state, since] = /^\s*(\S+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s*$/.exec(said) ?? []
    return state === undefined || state.startsWith('Z') ? null : since!
  } catch {
    // `ps` fails if there is no such process.
    return null
  }
}
