import { readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { RunAddress } from '@farhand/protocol/routes'
import { StateFolder } from '@farhand/sync/state-folder'
import { HubProcess } from '@farhand/testkit/hub-process'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from './farhand-under-test.ts'
import { about, filesIn, inStep, startLink, type Told, write } from './link-under-test.ts'

/** A folder that was killed after it had taken a file, and in which that file is empty now. */
async function emptied(machine: 'lost its power' | 'went on') {
  const hub = await HubProcess.start()
  onTestFinished(async () => {
    await hub.kill()
    await rm(hub.data, { recursive: true, force: true })
  })
  const [mine, theirs, state] = [await temporaryFolder(), await temporaryFolder(), await temporaryFolder()]
  await write(mine, { 'kept.txt': 'kept' })
  const first = startLink(mine, hub, '--run', 'new', '--state', state)
  const told = await first.until(inStep)
  const { project, task, run } = told[0] as Told & RunAddress
  const far = startLink(theirs, hub, '--run', run, '--wins', 'log', '--state', await temporaryFolder())
  await far.until(inStep)
  await write(theirs, { 'src/taken.txt': 'the work of hours' })
  await first.until(about('applied', 'src/taken.txt'))
  first.child.kill('SIGKILL')
  await first.exitCode
  const file = path.join(mine, 'src/taken.txt')
  await truncate(file)
  const mark = path.join(new StateFolder(state).memoryOf(mine, { project, task, run }), 'boot')
  const said = JSON.parse(await readFile(mark, 'utf8'))
  if (machine === 'lost its power') {
    await writeFile(mark, JSON.stringify({ ...said, boot: 'another one' }))
    await utimes(file, 1_000_000_000, 1_000_000_000)
  }
  return { mine, theirs, far, file, again: () => startLink(mine, hub, '--state', state) }
}

describe('a file that is empty after its folder was killed', () => {
  it('S4 was emptied by nobody if the machine lost its power since: the run has what it was', async () => {
    const { mine, theirs, again } = await emptied('lost its power')
    await write(mine, { 'src/new.txt': '' })
    const second = await again().until(inStep)
    expect(second).toContainEqual(expect.objectContaining({ event: 'applied', path: 'src/taken.txt' }))
    expect(second).not.toContainEqual(expect.objectContaining({ event: 'sent', path: 'src/taken.txt' }))
    expect(await filesIn(mine)).toEqual({
      'kept.txt': 'kept',
      'src/taken.txt': 'the work of hours',
      'src/new.txt': '',
    })
    expect((await filesIn(theirs))['src/taken.txt']).toBe('the work of hours')
  })

  it('S8 was emptied by a person if the machine went on, or it was done since it started', async () => {
    const { again, far } = await emptied('went on')
    const second = await again().until(inStep)
    expect(second).toContainEqual(expect.objectContaining({ event: 'sent', path: 'src/taken.txt' }))
    await far.until(about('applied', 'src/taken.txt'))
    const { file, again: afterBoot } = await emptied('lost its power')
    await utimes(file, new Date(), new Date(Date.now() + 5_000))
    expect(await afterBoot().until(inStep)).toContainEqual(
      expect.objectContaining({ event: 'sent', path: 'src/taken.txt' }),
    )
  })
})
