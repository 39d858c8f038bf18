import { rm } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { farhand, temporaryFolder } from '../../farhand-under-test.ts'
import { hubCommandHere } from '../local-hub/hub-here-under-test.ts'
import { about, filesIn, inStep, startLink, type Told, write } from './link-under-test.ts'

const conflicts = (told: Told[]) => told.filter(({ event }) => event === 'conflict')

describe('a version of the far side that gives way to a folder that was away', { timeout: 120_000 }, () => {
  it('S2 S4 is told on both sides, with all it takes to put it back', async () => {
    const hub = await hubCommandHere()
    const [near, far] = [await temporaryFolder(), await temporaryFolder()]
    const [nearState, farState] = [await temporaryFolder(), await temporaryFolder()]
    await write(near, { 'src/main.ts': 'v0', 'docs/readme.md': 'v0', 'plain.txt': 'v0', 'other.txt': '1' })
    const first = startLink(near, hub, '--run', 'new', '--state', nearState)
    const [linked] = await first.until(inStep)
    const there = startLink(far, hub, '--run', String(linked!.run), '--wins', 'log', '--state', farState)
    await there.until(inStep)
    first.child.kill('SIGTERM')
    await first.exitCode
    await write(near, { 'src/main.ts': 'near', 'plain.txt': 'near' })
    await rm(path.join(near, 'docs/readme.md'))
    await write(far, { 'src/main.ts': 'far', 'docs/readme.md': 'far' })
    const sent = new Set<unknown>()
    await there.until((told) => told.event === 'sent' && sent.add(told.path).size === 2)

    const again = startLink(near, hub, '--state', nearState)
    const toldHere = conflicts(await again.until(inStep))
    expect(toldHere.map((told) => told.path).sort()).toEqual(['docs/readme.md', 'src/main.ts'])
    expect(toldHere[0]).toMatchObject({ here: 'won', lost: { kind: 'runner' }, won: { kind: 'device' } })
    const applied = new Set<unknown>()
    const toldThere = conflicts(
      await there.until((told) => told.event === 'applied' && applied.add(told.path).size === 3),
    )
    expect(toldThere.map((told) => told.path).sort()).toEqual(['docs/readme.md', 'src/main.ts'])
    const main = toldThere.find((told) => told.path === 'src/main.ts')!
    expect(main).toMatchObject({ here: 'lost', lost: { kind: 'runner' }, won: { kind: 'device' } })
    const version = `${path.join(far, 'src/main.ts')}@${main.eventId}`
    expect(await farhand('restore', version, '--state', farState).exitCode).toBe(0)
    await again.until(about('applied', 'src/main.ts'))
    expect((await filesIn(near))['src/main.ts']).toBe('far')
  })
})
