import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { heldPosts } from '@farhand/testkit/held-posts'
import { HubProcess } from '@farhand/testkit/hub-process'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from './farhand-under-test.ts'
import { about, inStep, startLink, type Told, write } from './link-under-test.ts'

/** A folder whose process was killed while what it had sent was still on its way, and the far side of its run. */
async function killedWhileSending() {
  const hub = await HubProcess.start()
  const network = await heldPosts(hub.port)
  onTestFinished(async () => {
    await network.close()
    await hub.kill()
    await rm(hub.data, { recursive: true, force: true })
  })
  const [mine, theirs, state] = [await temporaryFolder(), await temporaryFolder(), await temporaryFolder()]
  const access = { url: network.url, token: hub.token }
  await write(mine, { 'a.txt': 'agreed' })
  const first = startLink(mine, access, '--run', 'new', '--state', state)
  const run = String((await first.until(inStep))[0]?.run)
  const far = startLink(theirs, hub, '--run', run, '--wins', 'log', '--state', await temporaryFolder())
  await far.until(inStep)
  const held = network.hold()
  await write(mine, { 'a.txt': 'mine' })
  await held
  first.child.kill('SIGKILL')
  await first.exitCode
  const again = () => startLink(mine, access, '--state', state)
  return { network, mine, theirs, far, again }
}

const text = (folder: string) => readFile(path.join(folder, 'a.txt'), 'utf8')
const gone = (told: Told) => told.event === 'applied' && told.path === 'b.txt'

it('W34 S2 what arrives after its sender has died and come back does not take back newer work', async () => {
  const { network, mine, theirs, far, again } = await killedWhileSending()
  const second = again()
  await second.until(inStep)
  await far.until(about('applied', 'a.txt'))
  await write(theirs, { 'a.txt': 'newer' })
  await second.until(about('applied', 'a.txt'))
  expect(await network.release()).toMatch(/^HTTP\/1.1 403 /)
  await write(theirs, { 'b.txt': 'b' })
  await second.until(gone)
  await second.until(inStep)
  expect([await text(mine), await text(theirs)]).toEqual(['newer', 'newer'])
})

it('W34 S2 nor does it if the change was taken back by hand before the folder was linked again', async () => {
  const { network, mine, theirs, again } = await killedWhileSending()
  await write(mine, { 'a.txt': 'agreed' })
  const second = again()
  await second.until(inStep)
  await write(theirs, { 'a.txt': 'newer' })
  await second.until(about('applied', 'a.txt'))
  expect(await network.release()).toMatch(/^HTTP\/1.1 403 /)
  await write(theirs, { 'b.txt': 'b' })
  await second.until(gone)
  await second.until(inStep)
  expect([await text(mine), await text(theirs)]).toEqual(['newer', 'newer'])
})
