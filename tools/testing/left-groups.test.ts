import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { watchGroups } from './left-groups.mjs'

/** A folder of groups as the kernel has them, except that removing one removes its files first. */
function someParent() {
  const parent = mkdtempSync(path.join(tmpdir(), 'left-groups-'))
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }))
  const make = (name: string) => {
    mkdirSync(path.join(parent, `farhand-sandbox-${name}`))
    const procs = path.join(parent, `farhand-sandbox-${name}`, 'cgroup.procs')
    return { enter: (pid: number) => writeFileSync(procs, `${pid}\n`), leave: () => rmSync(procs) }
  }
  const isThere = (name: string) => existsSync(path.join(parent, `farhand-sandbox-${name}`))
  return { parent, make, isThere }
}

it('removes the group of a sandbox of this run, and none that was there before or in which only others were', async () => {
  const { parent, make, isThere } = someParent()
  const earlier = make('earlier')
  const seen: number[] = []
  const isOurs = (pids: number[]) => {
    seen.push(...pids)
    return pids.includes(1)
  }
  const leftGroups = watchGroups(isOurs, [parent])
  const [own, other] = [make('own'), make('other')]
  make('empty')
  earlier.enter(1)
  own.enter(1)
  other.enter(2)
  await vi.waitFor(() => expect(seen).toEqual(expect.arrayContaining([1, 2])), { timeout: 60_000 })
  for (const group of [earlier, own, other]) group.leave()
  expect(await leftGroups()).toEqual([])
  expect(['earlier', 'own', 'other', 'empty'].filter(isThere)).toEqual(['earlier', 'other', 'empty'])
})

it('names a group of this run that still has a process in it', async () => {
  const { parent, make } = someParent()
  const leftGroups = watchGroups(() => true, [parent])
  make('own').enter(1)
  expect(await leftGroups(0)).toEqual(['farhand-sandbox-*'])
})
