import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import process from 'node:process'
import { sleep } from '@farhand/kit/sleep'

/** All processes that one process has started, directly and indirectly. */
export type Family = {
  /** The process group; null if only the mark is known. */
  group: number | null
  /** The value of an environment variable that each of them has inherited: it identifies those that left the group. */
  mark: string
}

export const markName = 'FARHAND_AGENT'

const lookMs = 20
/** During an exec a process has no environment to identify it by; no exec takes longer than this many looks. */
const mostDoubts = 5

/** Sends SIGTERM, then SIGKILL; resolves when none is left, or SIGKILL failed within another `termMs`. */
export async function endFamily(family: Family, termMs: number): Promise<void> {
  if (await endWith('SIGTERM', family, termMs)) return
  await killFamily(family, termMs)
}

/** The same with SIGKILL at once. */
export async function killFamily(family: Family, withinMs: number): Promise<void> {
  await endWith('SIGKILL', family, withinMs)
}

/** Whether any of them still runs. */
export const isAnyLeft = (family: Family): boolean => membersOf(family).members.length > 0

/** Whether none is left. */
async function endWith(signal: NodeJS.Signals, family: Family, withinMs: number): Promise<boolean> {
  const { group } = family
  const until = performance.now() + withinMs
  const told = new Set<number>()
  let doubts = 0
  while (performance.now() < until) {
    // Listed again each time: a process may start another one while it is being ended.
    const { members, isInDoubt } = membersOf(family)
    if (members.length === 0 && (!isInDoubt || ++doubts > mostDoubts)) return true
    if (members.length === 0) await sleep(lookMs)
    for (const pid of members) {
      if (told.has(pid)) continue
      kill(pid, signal)
      // A stopped process handles no other signal until it continues.
      kill(pid, 'SIGCONT')
    }
    for (const pid of members) told.add(pid)
    // The whole group, too: processes that fork faster than they are listed cannot escape that.
    if (signal === 'SIGKILL' && members.some((pid) => isInGroup(pid, group))) kill(-group!, signal)
    while (members.some(isAtWork) && performance.now() < until) await sleep(lookMs)
  }
  return false
}

/** The processes to signal, or the group as a negative number where processes cannot be listed. */
function membersOf({ group, mark }: Family): { members: number[]; isInDoubt: boolean } {
  const listed = listedProcesses()
  if (listed === null)
    return { members: group !== null && isAtWork(-group) ? [-group] : [], isInDoubt: false }
  const marked = Buffer.from(`\0${markName}=${mark}\0`).toString('latin1')
  const members: number[] = []
  let isInDoubt = false
  for (const pid of listed) {
    if (pid === process.pid) continue
    const environment = environmentOf(pid)
    // Each variable ends with a zero byte: with one in front, each has one on both sides.
    const isMarked = environment !== null && `\0${environment}`.includes(marked)
    if (isMarked || isInGroup(pid, group)) members.push(pid)
    else isInDoubt ||= environment === '' && hasProgram(pid)
  }
  return { members, isInDoubt }
}

function listedProcesses(): number[] | null {
  try {
    const pids = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
    return pids.includes(process.pid) ? pids : null
  } catch {
    // Only Linux has /proc, and not in every container.
    return null
  }
}

function isInGroup(pid: number, group: number | null): boolean {
  return group !== null && statOf(pid)?.group === group
}

/** Null if there is no such process, or it is a zombie, which its parent may never reap. */
function statOf(pid: number): { group: number } | null {
  const stat = read(pid, 'stat')?.toString('latin1')
  // The name is in parentheses and may contain any character; then come state, parent and group.
  const [state, , group] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
  return group === undefined || state === 'Z' || state === 'X' ? null : { group: Number(group) }
}

const environmentOf = (pid: number) => read(pid, 'environ')?.toString('latin1') ?? null

/** Kernel threads and dead processes have none. */
function hasProgram(pid: number): boolean {
  try {
    readlinkSync(`/proc/${pid}/exe`)
    return true
  } catch {
    return false
  }
}

function read(pid: number, file: string): Buffer | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`)
  } catch {
    // It has ended since, or belongs to another user.
    return null
  }
}

function isAtWork(pid: number): boolean {
  // Listed processes can be looked up; only a group is a negative number.
  if (pid > 0) return statOf(pid) !== null
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended since.
  }
}
