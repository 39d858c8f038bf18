import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { holdingProxy } from '@farhand/testkit/holding-proxy'
import { HubProcess } from '@farhand/testkit/hub-process'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../farhand-under-test.ts'
import { about, inStep, type LinkProcess, startLink, write } from './link-under-test.ts'

/** A folder whose process was killed while what it had sent was still on its way, and the far side of its run. */
async function killedWhileSending() {
  const hub = await HubProcess.start()
  const network = await holdingProxy(hub.port)
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

/** The far side writes once more, the folder takes that, and only then what was held arrives. */
async function lateAfterNewer(
  { network, mine, theirs }: Awaited<ReturnType<typeof killedWhileSending>>,
  second: LinkProcess,
) {
  await write(theirs, { 'a.txt': 'newer' })
  await second.until(about('applied', 'a.txt'))
  const answer = await network.release()
  await write(theirs, { 'b.txt': 'b' })
  await second.until(about('applied', 'b.txt'))
  await second.until(inStep)
  return { answer, mine: await text(mine), theirs: await text(theirs) }
}

const patient = { timeout: 120_000 }
const refused = { answer: expect.stringMatching(/^HTTP\/1.1 403 /), mine: 'newer', theirs: 'newer' }

it(
  'W34 S2 what arrives after its sender has died and come back does not take back newer work',
  patient,
  async () => {
    const killed = await killedWhileSending()
    const second = killed.again()
    await second.until(inStep)
    await killed.far.until(about('applied', 'a.txt'))
    expect(await lateAfterNewer(killed, second)).toEqual(refused)
  },
)

it(
  'W34 S2 nor does it if the change was taken back by hand before the folder was linked again',
  patient,
  async () => {
    const killed = await killedWhileSending()
    await write(killed.mine, { 'a.txt': 'agreed' })
    const second = killed.again()
    await second.until(inStep)
    expect(await lateAfterNewer(killed, second)).toEqual(refused)
  },
)
