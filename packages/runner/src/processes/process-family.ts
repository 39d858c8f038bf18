import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import process from 'node:process'
import { sleep } from '@farhand/kit/sleep'

/** All processes that one process has started, and they in turn. */
export type Family = {
  /** Its process group; null if only the mark is known. */
  group: number | null
  /** A variable in the environment of each, by which those are found that have left the group. */
  mark: string
}

export const markName = 'FARHAND_AGENT'

const lookMs = 20
/** In the moment of an exec a process has no environment by which it could be known: longer than this none takes. */
const mostDoubts = 5

/** Resolves when none of them is left, or when even SIGKILL did not end them within as long again. */
export async function endFamily(family: Family, termMs: number): Promise<void> {
  if (await endWith('SIGTERM', family, termMs)) return
  await killFamily(family, termMs)
}

/** The same, and none of them is asked before. */
export async function killFamily(family: Family, withinMs: number): Promise<void> {
  await endWith('SIGKILL', family, withinMs)
}

/** Whether any of them is at work. */
export const isAnyLeft = (family: Family): boolean => membersOf(family).members.length > 0

/** Whether none is left. */
async function endWith(signal: NodeJS.Signals, family: Family, withinMs: number): Promise<boolean> {
  const { group } = family
  const until = performance.now() + withinMs
  const told = new Set<number>()
  let doubts = 0
  while (performance.now() < until) {
    // Looked for again each time: a process may start another one while it is being ended.
    const { members, isInDoubt } = membersOf(family)
    if (members.length === 0 && (!isInDoubt || ++doubts > mostDoubts)) return true
    if (members.length === 0) await sleep(lookMs)
    for (const pid of members) {
      if (told.has(pid)) continue
      kill(pid, signal)
      // One that is stopped hears of nothing else until it goes on.
      kill(pid, 'SIGCONT')
    }
    for (const pid of members) told.add(pid)
    // All at once too: those who start others faster than they are found cannot escape that.
    if (signal === 'SIGKILL' && members.some((pid) => isInGroup(pid, group))) kill(-group!, signal)
    while (members.some(isAtWork) && performance.now() < until) await sleep(lookMs)
  }
  return false
}

/** Whom to signal: processes, or (where they cannot be listed) the group as a negative number. */
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
    // Variables end with a zero, so with one before them each has one on both sides.
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
    // Only Linux has it, and not in every container.
    return null
  }
}

function isInGroup(pid: number, group: number | null): boolean {
  return group !== null && statOf(pid)?.group === group
}

/** Null if there is no such process, or one that is dead and waits to be buried, which may be in vain. */
function statOf(pid: number): { group: number } | null {
  const stat = read(pid, 'stat')?.toString('latin1')
  // The name is in parentheses and may itself hold any character; then come state, parent and group.
  const [state, , group] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
  return group === undefined || state === 'Z' || state === 'X' ? null : { group: Number(group) }
}

const environmentOf = (pid: number) => read(pid, 'environ')?.toString('latin1') ?? null

/** Not so the threads of the kernel, nor a process that is dead. */
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
    // It has ended since, or is somebody else's.
    return null
  }
}

function isAtWork(pid: number): boolean {
  // One that was listed can be looked up; only a group is a negative number.
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
