import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { randomName } from '@farhand/protocol/wire/ids'
import { describe, expect, it } from 'vitest'
import type { CgroupParents } from './cgroup-parents.ts'
import { cgroupsOf, makeCgroups, removeCgroups, sweepCgroups, usableCgroups } from './cgroups.ts'

const parents = usableCgroups()

describe.skipIf(!parents)('control groups of a sandbox', () => {
  it('have its limits, are those that were written down before, and can be removed twice', async () => {
    const id = `test-${randomName(8)}`
    const made = makeCgroups(parents!, id, { memoryMb: 100, processes: 50, cpus: 1.5, diskMb: 64 })
    try {
      expect(cgroupsOf(parents!, id)).toEqual(made)
      const says = (file: string) =>
        made
          .map((group) => path.join(group, file))
          .flatMap((one) => (existsSync(one) ? readFileSync(one, 'utf8').trim() : []))
      expect(says('pids.max')).toEqual(['50'])
      expect([...says('memory.max'), ...says('memory.limit_in_bytes')]).toEqual([String(100 * 1024 * 1024)])
      expect([...says('cpu.max'), ...says('cpu.cfs_quota_us')].join()).toMatch(/^150000( 100000)?$/)
    } finally {
      await removeCgroups(made)
    }
    expect(made.filter(existsSync)).toEqual([])
    await removeCgroups(made)
  })

  it('without a process in them are removed, if they are old', async () => {
    const own = ownParents()
    const limits = { memoryMb: 100, processes: 50, cpus: 1, diskMb: 64 }
    const [left, used] = ['left', 'used'].map((id) => makeCgroups(own.parents, id, limits))
    const user = spawn('sleep', ['1000'], { stdio: 'ignore' })
    try {
      for (const group of used!) writeFileSync(path.join(group, 'cgroup.procs'), String(user.pid))
      sweepCgroups(own.parents)
      expect(left!.filter(existsSync)).toEqual(left)
      sweepCgroups(own.parents, -60_000)
      expect(left!.filter(existsSync)).toEqual([])
      expect(used!.filter(existsSync)).toEqual(used)
    } finally {
      const exit = once(user, 'exit')
      user.kill('SIGKILL')
      await exit
      await removeCgroups([...left!, ...used!, ...own.made])
    }
  })
})

/** Below those that others use now, as everything in them may be swept. */
function ownParents(): { parents: CgroupParents; made: string[] } {
  const name = `farhand-test-${randomName(8)}`
  const made: string[] = []
  const below = (group: string) => {
    made.push(path.join(group, name))
    mkdirSync(made.at(-1)!)
    return made.at(-1)!
  }
  if (parents!.version === 2) return { parents: { ...parents!, parent: below(parents!.parent) }, made }
  const { memory, pids } = parents!
  return { parents: { version: 1, memory: below(memory), pids: below(pids), cpu: null }, made }
}
