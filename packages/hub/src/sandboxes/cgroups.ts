import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { sleep } from '@farhand/kit/sleep'
import { type CgroupParents, cgroupParents } from './cgroup-parents.ts'
import type { AllLimits } from './sandbox-host.ts'

const ownName = 'farhand-hub'
const removeMs = 5_000
const lookMs = 10

/** Where groups can be made by this process; null if nowhere. */
export function usableCgroups(): CgroupParents | null {
  if (process.platform !== 'linux') return null
  const parents = cgroupParents(read('/proc/self/cgroup'), read('/proc/self/mountinfo'))
  if (!parents) return null
  if (parents.version === 2) {
    // We may have moved there ourselves, to make room.
    const isOurs = path.basename(parents.parent) === ownName
    const parent = isOurs ? path.dirname(parents.parent) : parents.parent
    return takeOver(parent) ? { version: 2, parent } : null
  }
  return isWritable(parents.memory) && isWritable(parents.pids) ? parents : null
}

/** The groups of a sandbox with its limits; whoever is written into their `cgroup.procs` is bound by them. */
export function makeCgroups(parents: CgroupParents, id: string, limits: AllLimits): string[] {
  const made: string[] = []
  const make = (parent: string, settings: Record<string, string | number>) => {
    const group = path.join(parent, `farhand-${id}`)
    mkdirSync(group)
    made.push(group)
    for (const [name, value] of Object.entries(settings)) {
      const file = path.join(group, name)
      // Not every kernel can account for swap.
      if (existsSync(file)) writeFileSync(file, String(value))
    }
  }
  const bytes = limits.memoryMb * 1024 * 1024
  const periodUs = 100_000
  const quotaUs = Math.round(limits.cpus * periodUs)
  try {
    if (parents.version === 2) {
      make(parents.parent, {
        'memory.max': bytes,
        'memory.swap.max': 0,
        'pids.max': limits.processes,
        'cpu.max': `${quotaUs} ${periodUs}`,
      })
    } else {
      // The one with swap cannot be smaller than the one without, so it comes second.
      make(parents.memory, { 'memory.limit_in_bytes': bytes, 'memory.memsw.limit_in_bytes': bytes })
      make(parents.pids, { 'pids.max': limits.processes })
      if (parents.cpu && isWritable(parents.cpu))
        make(parents.cpu, { 'cpu.cfs_period_us': periodUs, 'cpu.cfs_quota_us': quotaUs })
    }
    return made
  } catch (error) {
    for (const group of made) rmdirSync(group)
    throw error
  }
}

/** Which groups `makeCgroups` makes, to be written down before it does. */
export function cgroupsOf(parents: CgroupParents | null, id: string): string[] {
  if (!parents) return []
  const all = parents.version === 2 ? [parents.parent] : [parents.memory, parents.pids, parents.cpu]
  return all.flatMap((parent) => (parent === null ? [] : path.join(parent, `farhand-${id}`)))
}

/** Resolves when they are gone; those that are not there are no trouble. */
export async function removeCgroups(groups: readonly string[]): Promise<void> {
  const until = performance.now() + removeMs
  for (const group of groups) {
    for (;;) {
      try {
        rmdirSync(group)
        break
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code === 'ENOENT') break
        // Its last processes have ended, but are not buried yet.
        if (code !== 'EBUSY' || performance.now() > until) throw error
        await sleep(lookMs)
      }
    }
  }
}

/** Whether groups below this one can have limits. One that has processes itself cannot: if that is us alone, we move. */
function takeOver(parent: string): boolean {
  if (!isWritable(parent)) return false
  const control = path.join(parent, 'cgroup.subtree_control')
  const hasAll = () => ['memory', 'pids'].every((name) => read(control).split(/\s+/).includes(name))
  const enable = () => {
    for (const name of ['memory', 'pids', 'cpu']) {
      try {
        writeFileSync(control, `+${name}`)
      } catch {
        // It is not to be had here, or there are processes in the way; what counts is what there is in the end.
      }
    }
    return hasAll()
  }
  if (hasAll() || enable()) return true
  if (read(path.join(parent, 'cgroup.procs')).trim() !== String(process.pid)) return false
  try {
    const own = path.join(parent, ownName)
    mkdirSync(own, { recursive: true })
    writeFileSync(path.join(own, 'cgroup.procs'), String(process.pid))
  } catch {
    return false
  }
  return enable()
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
