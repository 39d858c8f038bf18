import { readdirSync, readFileSync } from 'node:fs'
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

/** Resolves when none of them is left, or when even SIGKILL did not end them within as long again. */
export async function endFamily(family: Family, termMs: number): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    let members = membersOf(family)
    if (members.length === 0) return
    const told = new Set<number>()
    for (let left = termMs; members.length > 0 && left > 0; left -= lookMs) {
      // Again and again: a process may start another one while it is being ended.
      for (const pid of members) if (signal === 'SIGKILL' || !told.has(pid)) kill(pid, signal)
      for (const pid of members) told.add(pid)
      await sleep(lookMs)
      members = membersOf(family)
    }
  }
}

/** Whom to signal: processes, or (where they cannot be listed) the group as a negative number. */
function membersOf({ group, mark }: Family): number[] {
  const listed = listedProcesses()
  if (listed === null) return group !== null && isThere(-group) ? [-group] : []
  const marked = Buffer.from(`\0${markName}=${mark}\0`).toString('latin1')
  return listed.filter((pid) => pid !== process.pid && (isInGroup(pid, group) || isMarked(pid, marked)))
}

function listedProcesses(): number[] | null {
  if (process.platform !== 'linux') return null
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
}

function isInGroup(pid: number, group: number | null): boolean {
  if (group === null) return false
  const stat = read(pid, 'stat')?.toString('latin1')
  // The name is in parentheses and may itself hold any character; then come state, parent and group.
  const [state, , ofGroup] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
  // One that is dead and that nobody has buried yet would be waited for in vain.
  return Number(ofGroup) === group && state !== 'Z' && state !== 'X'
}

function isMarked(pid: number, marked: string): boolean {
  const environment = read(pid, 'environ')
  // Variables end with a zero, so with one before them each has one on both sides.
  return environment !== null && `\0${environment.toString('latin1')}`.includes(marked)
}

function read(pid: number, file: string): Buffer | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`)
  } catch {
    // It has ended since, or is somebody else's.
    return null
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
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
