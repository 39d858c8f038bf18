import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import process from 'node:process'
import { sleep } from '@farhand/kit/sleep'

/** One process, and not another one that was given its number later. */
export type ProcessId = { pid: number; since: string }

/** A variable in the environment of everything that runs in a sandbox, by which strays are found; no setting of a hub. */
export const markName = 'FARHAND_SANDBOX_ID'

/** What lists the processes of a sandbox. */
export type ProcessQuery = {
  mark: string
  /** The leader of their session, if it is sure that it was not replaced. */
  leader: number | null
  /** Control groups all of whose processes are meant. */
  cgroups: readonly string[]
  /** One that is as old as they: none of them is older, and of those nothing else is looked at. */
  eldest?: ProcessId | null
}

type Seen = ProcessId & {
  parent: number
  group: number
  session: number
  /** Null if there is none, and if it has not been looked for. */
  mark: string | null
}

const lookMs = 10
/** Far more than what a supervisor gives its program. A thousand processes may each have megabytes, to hold up a hub. */
const environment = Buffer.alloc(64 * 1024)

/**
 * A line that a process wrote about itself: all of `/proc/<pid>/stat`, or its number and when it began, as `ps` says
 * it. Null if it is neither.
 */
export function readIdentity(line: string): ProcessId | null {
  const stat = readStat(line)
  if (stat) return { pid: stat.pid, since: stat.since }
  const [, pid, since] = /^(\d+) ([^\s(].*\S)\s*$/.exec(line) ?? []
  return pid && since ? { pid: Number(pid), since } : null
}

/** The process that has this number now; null if none has. */
export function identityOf(pid: number): ProcessId | null {
  const seen = look(pid)
  return seen && { pid, since: seen.since }
}

/** Whether this very process is there; one that is dead and waits to be buried is not. */
export function isThere({ pid, since }: ProcessId): boolean {
  return look(pid)?.since === since
}

/** Resolves with whether it is gone, within that time. */
export async function isGoneWithin(id: ProcessId, ms: number): Promise<boolean> {
  const until = performance.now() + ms
  while (isThere(id)) {
    if (performance.now() > until) return false
    await sleep(lookMs)
  }
  return true
}

/** Those that are there now, with all they have started; this process is never among them. */
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
  // Children may hide their environment, and lead a session of their own.
  for (const { pid } of members) {
    const children = all.filter((one) => one.parent === pid && !known.has(one.pid))
    for (const child of children) known.add(child.pid)
    members.push(...children)
  }
  return members
}

/** Ends them with SIGKILL, and those they start meanwhile; resolves when none is left but `spared`, rejects if one stays. */
export async function endProcesses(members: ProcessQuery, withinMs: number, spared: readonly number[] = []) {
  const until = performance.now() + withinMs
  for (;;) {
    // Looked for again each time: a process may start another one while it is being ended.
    const left = processesOf(members).filter(({ pid }) => !spared.includes(pid))
    if (left.length === 0) return
    if (performance.now() > until)
      throw new Error(`processes that SIGKILL does not end: ${left.map(({ pid }) => pid)}`)
    for (const { pid } of left) kill(pid)
    // All at once too: those who start others faster than they are found cannot escape that.
    if (spared.length === 0 && members.leader !== null) kill(-members.leader)
    while (left.some(isThere) && performance.now() < until) await sleep(lookMs)
  }
}

function listed(): Seen[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (look(Number(name)) ?? []) : []))
  } catch {
    // Only Linux has it.
    return askPs(['-ax'])
  }
}

function look(pid: number): Seen | null {
  if (process.platform === 'linux') return readStat(read(`/proc/${pid}/stat`))
  return askPs(['-p', String(pid)])[0] ?? null
}

function askPs(which: string[]): Seen[] {
  // Each line ends with the command and, of those of the same user, the environment.
  const args = [...which, '-E', '-ww', '-o', 'pid=,ppid=,pgid=,state=,lstart=,command=']
  const env = { LC_ALL: 'C', PATH: '/usr/bin:/bin' }
  try {
    return readPs(execFileSync('ps', args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] }))
  } catch {
    // It says with a failure that there is no such process.
    return []
  }
}

/** What `ps` prints where there is no `/proc`. */
export function readPs(said: string): Seen[] {
  const line = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s?(.*)$/gm
  return [...said.matchAll(line)].flatMap(([, pid, parent, group, state, since, words]) => {
    if (state?.startsWith('Z')) return []
    const numbers = { pid: Number(pid), parent: Number(parent), group: Number(group), session: -1 }
    return [{ ...numbers, since: since!, mark: markIn(words!) }]
  })
}

const markIn = (words: string) => new RegExp(` ${markName}=(\\S+)`).exec(words)?.[1] ?? null

/** Null also for one that is dead and waits to be buried, which may be in vain. */
function readStat(stat: string): Seen | null {
  // The name is in parentheses and may itself hold any character; then come state, parent, group and session.
  const end = stat.lastIndexOf(')')
  if (end < 0) return null
  const [state, parent, group, session, ...rest] = stat.slice(end + 2).split(' ')
  const since = rest[15]
  if (since === undefined || state === 'Z' || state === 'X') return null
  return {
    pid: Number.parseInt(stat, 10),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    since,
    mark: null,
  }
}

function isOlder(one: Seen, eldest: ProcessId | null | undefined): boolean {
  // Elsewhere it is said in words.
  return process.platform === 'linux' && !!eldest && Number(one.since) < Number(eldest.since)
}

function isMarked(one: Seen, mark: string): boolean {
  if (process.platform !== 'linux') return one.mark === mark
  // Variables end with a zero, so with one before them each has one on both sides.
  return `\0${readEnvironment(one.pid)}`.includes(`\0${markName}=${mark}\0`)
}

/** The beginning of it; nothing if the process has ended since, or is somebody else's. */
function readEnvironment(pid: number): string {
  let file: number | null = null
  try {
    file = openSync(`/proc/${pid}/environ`, 'r')
    let length = 0
    // One read gives a page at most.
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
    // It has ended since, or is somebody else's.
    return ''
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended since.
  }
}
