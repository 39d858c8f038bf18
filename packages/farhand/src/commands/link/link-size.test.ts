import { rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../farhand-under-test.ts'
import { hubCommandHere } from '../local-hub/hub-here-under-test.ts'
import { about, inStep, startLink, type Told, write } from './link-under-test.ts'

const skips = (told: Told[]) => told.filter(({ event }) => event === 'skipped')

describe('a file that outgrows the limit', { timeout: 120_000 }, () => {
  it('S9 S13 is said to be out of step until the limit allows it, and never again after that', async () => {
    const hub = await hubCommandHere()
    const [folder, state] = [await temporaryFolder(), await temporaryFolder()]
    await write(folder, { 'grows.log': 'short', 'a.txt': 'a' })
    const link = startLink(folder, hub, '--run', 'new', '--state', state, '--max-file', '1K')
    await link.until(inStep)
    // At once: while it is being written it may be seen empty, and everything begins with nothing.
    const elsewhere = path.join(await temporaryFolder(), 'grows.log')
    await writeFile(elsewhere, 'long'.repeat(500))
    await rename(elsewhere, path.join(folder, 'grows.log'))
    const told = await link.until((told) => inStep(told) && told.leftOut === 1)
    expect(skips(told)).toMatchObject([{ path: 'grows.log', why: 'too-large', size: 2000, inRun: true }])
    link.child.kill('SIGTERM')
    await link.exitCode

    const again = startLink(folder, hub, '--state', state)
    const toldAgain = await again.until(inStep)
    expect(skips(toldAgain)).toMatchObject([{ path: 'grows.log', inRun: true }])
    expect(toldAgain.at(-1)).toMatchObject({ files: 2, leftOut: 1 })
    again.child.kill('SIGTERM')
    await again.exitCode

    const raised = startLink(folder, hub, '--state', state, '--max-file', '4K')
    expect(skips(await raised.until(about('sent', 'grows.log')))).toEqual([])
    expect((await raised.until(inStep)).at(-1)).toMatchObject({ leftOut: 0 })
  })
})
