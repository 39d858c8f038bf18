import { existsSync, mkdirSync, readdirSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { sleep } from '@farhand/kit/sleep'
import { type CgroupParents, cgroupParents } from './cgroup-parents.ts'
import type { AllLimits } from './sandbox-host.ts'
import { isWritable, readOrEmpty, usableParent } from './usable-parent.ts'

const prefix = 'farhand-sandbox-'
const removeMs = 5_000
const lookMs = 10

/** The groups below which this process can make others; null if there are none. */
export function usableCgroups(): CgroupParents | null {
  if (process.platform !== 'linux') return null
  const parents = cgroupParents(readOrEmpty('/proc/self/cgroup'), readOrEmpty('/proc/self/mountinfo'))
  if (!parents) return null
  if (parents.version === 2) {
    const parent = usableParent(parents.parent, parents.top)
    return parent === null ? null : { ...parents, parent }
  }
  return isWritable(parents.memory) && isWritable(parents.pids) ? parents : null
}

/** Makes the groups of a sandbox with its limits, which apply to every process written into their `cgroup.procs`. */
export function makeCgroups(parents: CgroupParents, id: string, limits: AllLimits): string[] {
  const made: string[] = []
  const make = (parent: string, settings: Record<string, string | number>) => {
    const group = path.join(parent, `${prefix}${id}`)
    mkdirSync(group)
    made.push(group)
    for (const [name, value] of Object.entries(settings)) {
      const file = path.join(group, name)
      // Not every kernel counts swap.
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
      // The limit with swap must not be smaller than the one without, so it is set second.
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

/**
 * Removes empty groups that no hub knows, of sandboxes that ended after their hub's data was deleted. New groups are spared, as their
 * first process may not have started yet.
 */
export function sweepCgroups(parents: CgroupParents, olderThanMs = 600_000): void {
  for (const group of parentsIn(parents).flatMap(groupsBelow)) {
    const made = statSync(group, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY
    if (made > Date.now() - olderThanMs || readOrEmpty(path.join(group, 'cgroup.procs')) !== '') continue
    try {
      rmdirSync(group)
    } catch {
      // Another hub has removed it, or a process has joined it.
    }
  }
}

/** The groups that `makeCgroups` makes, to be recorded before. */
export function cgroupsOf(parents: CgroupParents | null, id: string): string[] {
  if (!parents) return []
  return parentsIn(parents).map((parent) => path.join(parent, `${prefix}${id}`))
}

function parentsIn(parents: CgroupParents): string[] {
  const all = parents.version === 2 ? [parents.parent] : [parents.memory, parents.pids, parents.cpu]
  return all.flatMap((parent) => parent ?? [])
}

function groupsBelow(parent: string): string[] {
  return readdirSync(parent)
    .filter((name) => name.startsWith(prefix))
    .map((name) => path.join(parent, name))
}

/** Resolves when they are removed; missing groups are no error. */
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
        // Its last processes have ended but are not reaped yet.
        if (code !== 'EBUSY' || performance.now() > until) throw error
        await sleep(lookMs)
      }
    }
  }
}
