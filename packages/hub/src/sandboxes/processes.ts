import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import process from 'node:process'
import { readProcessStat } from '@farhand/kit/process-stat'
import { sleep } from '@farhand/kit/sleep'

/** Identifies one process, also if its pid is reused later. */
export type ProcessId = { pid: number; since: string }

/** An environment variable of all processes in a sandbox, by which the hub finds stray ones. It is no setting of the hub. */
export const markName = 'FARHAND_SANDBOX_ID'

/** How to find the processes of a sandbox. */
export type ProcessQuery = {
  mark: string
  /** The leader of their session; null if its pid may have been reused. */
  leader: number | null
  /** Control groups whose processes all belong to the sandbox. */
  cgroups: readonly string[]
  /** The oldest process of the sandbox: the environment of older processes is not read. */
  eldest?: ProcessId | null
}

type Seen = ProcessId & {
  parent: number
  group: number
  session: number
  /** The value of `markName`; null if there is none or it was not read. */
  mark: string | null
}

const lookMs = 10
/** More than the environment that a supervisor sets. A sandbox may start many processes with huge environments to slow the hub down. */
const environment = Buffer.alloc(64 * 1024)

/**
 * Parses the line that a process wrote about itself: its `/proc/<pid>/stat`, or its pid and start time in the format of `ps`. Null if it
 * is neither.
 */
export function readIdentity(line: string): ProcessId | null {
  const stat = readStat(line)
  if (stat) return { pid: stat.pid, since: stat.since }
  const [, pid, since] = /^(\d+) ([^\s(].*\S)\s*$/.exec(line) ?? []
  return pid && since ? { pid: Number(pid), since } : null
}

/** The current process with this pid; null if there is none. */
export function identityOf(pid: number): ProcessId | null {
  const seen = look(pid)
  return seen && { pid, since: seen.since }
}

/** Whether this process is running; a zombie is not. */
export function isThere({ pid, since }: ProcessId): boolean {
  return look(pid)?.since === since
}

/** Waits up to `ms` for the process to end; resolves to whether it did. */
export async function isGoneWithin(id: ProcessId, ms: number): Promise<boolean> {
  const until = performance.now() + ms
  while (isThere(id)) {
    if (performance.now() > until) return false
    await sleep(lookMs)
  }
  return true
}

/** The current processes of a sandbox with their children, never including this process. */
export function processesOf({ mark, leader, cgroups, eldest }: ProcessQuery): ProcessId[] {
  const all = listed().filter(({ pid }) => pid !== process.pid)
  const inGroups = new Set(cgroups.flatMap(pidsIn))
  const members = all.filter(
    (one) =>
      (leader !== null && (one.group === leader || one.session === leader)) ||
      inGroups.has(one.pid) ||
      (!isOlder(one, eldest) && isMarked(one, mark)),
  )
  const known = new Set(members.map(({ pid }) => pid))
  // Children may hide their environment and lead their own session.
  for (const { pid } of members) {
    const children = all.filter((one) => one.parent === pid && !known.has(one.pid))
    for (const child of children) known.add(child.pid)
    members.push(...children)
  }
  return members
}

/** Ends them and their new children with SIGKILL. Resolves when only `spared` are left, rejects if others remain in time. */
export async function endProcesses(members: ProcessQuery, withinMs: number, spared: readonly number[] = []) {
  const until = performance.now() + withinMs
  for (;;) {
    // Listed again each time: a process may start another one while it is being ended.
    const left = processesOf(members).filter(({ pid }) => !spared.includes(pid))
    if (left.length === 0) return
    if (performance.now() > until)
      throw new Error(`processes that SIGKILL does not end: ${left.map(({ pid }) => pid)}`)
    for (const { pid } of left) kill(pid)
    // Also the whole process group at once, for processes that start children faster than they can be listed.
    if (spared.length === 0 && members.leader !== null) kill(-members.leader)
    while (left.some(isThere) && performance.now() < until) await sleep(lookMs)
  }
}

function listed(): Seen[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (look(Number(name)) ?? []) : []))
  } catch {
    // Only Linux has `/proc`.
    return askPs(['-ax'])
  }
}

function look(pid: number): Seen | null {
  if (process.platform === 'linux') return readStat(read(`/proc/${pid}/stat`))
  return askPs(['-p', String(pid)])[0] ?? null
}

function askPs(which: string[]): Seen[] {
  // Each line ends with the command and, for processes of the same user, the environment.
  const args = [...which, '-E', '-ww', '-o', 'pid=,ppid=,pgid=,state=,lstart=,command=']
  const env = { LC_ALL: 'C', PATH: '/usr/bin:/bin' }
  try {
    return readPs(execFileSync('ps', args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] }))
  } catch {
    // `ps` fails if there is no such process.
    return []
  }
}

/** Parses the output of `ps`, for systems without `/proc`. */
export function readPs(said: string): Seen[] {
  const line = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s?(.*)$/gm
  return [...said.matchAll(line)].flatMap(([, pid, parent, group, state, since, words]) => {
    if (state?.startsWith('Z')) return []
    const numbers = { pid: Number(pid), parent: Number(parent), group: Number(group), session: -1 }
    return [{ ...numbers, since: since!, mark: markIn(words!) }]
  })
}

const markIn = (words: string) => new RegExp(` ${markName}=(\\S+)`).exec(words)?.[1] ?? null

/** Null also for a zombie, which may never be reaped. */
function readStat(line: string): Seen | null {
  const stat = readProcessStat(line)
  return stat && { ...stat, mark: null }
}

function isOlder(one: Seen, eldest: ProcessId | null | undefined): boolean {
  // On other systems the start time is a date, which is not compared.
  return process.platform === 'linux' && !!eldest && Number(one.since) < Number(eldest.since)
}

function isMarked(one: Seen, mark: string): boolean {
  if (process.platform !== 'linux') return one.mark === mark
  // Variables end with a zero byte; with one added in front, each is between two zero bytes.
  return `\0${readEnvironment(one.pid)}`.includes(`\0${markName}=${mark}\0`)
}

/** The start of a process's environment; empty if the process has ended or belongs to another user. */
function readEnvironment(pid: number): string {
  let file: number | null = null
  try {
    file = openSync(`/proc/${pid}/environ`, 'r')
    let length = 0
    // Each read gives at most one page.
    for (let read = 1; read > 0 && length < environment.length; length += read)
      read = readSync(file, environment, length, environment.length - length, null)
    return environment.toString('latin1', 0, length)
  } catch {
    return ''
  } finally {
    if (file !== null) closeSync(file)
  }
}

function pidsIn(cgroup: string): number[] {
  return read(`${cgroup}/cgroup.procs`).split('\n').filter(Boolean).map(Number)
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    // The process has ended or belongs to another user.
    return ''
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended.
  }
}
