import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { randomName } from '@farhand/protocol/ids'
import { describe, expect, it } from 'vitest'
import { cgroupsOf, makeCgroups, removeCgroups, usableCgroups } from './cgroups.ts'

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
})
