import { holdingProxy } from '@farhand/testkit/holding-proxy'
import { HubProcess } from '@farhand/testkit/hub-process'
import { describe, expect, it, onTestFinished } from 'vitest'
import { removeFolder, temporaryFolder } from '../../farhand-under-test.ts'
import { inStep, startLink, type Told, write } from './link-under-test.ts'

/** A folder whose hub went away while it was sending. */
async function leftWhileSending(wins: string) {
  const hub = await HubProcess.start()
  onTestFinished(async () => {
    await hub.kill()
    await removeFolder(hub.data)
  })
  const network = await holdingProxy(hub.port)
  const [folder, state] = [await temporaryFolder(), await temporaryFolder()]
  await write(folder, { 'a.txt': 'one', 'b.txt': 'one' })
  const access = { url: network.url, token: hub.token }
  const link = startLink(folder, access, '--run', 'new', '--wins', wins, '--state', state)
  await link.until(inStep)
  const held = network.hold()
  await write(folder, { 'a.txt': 'two' })
  await held
  await network.close()
  await link.until((told: Told) => told.event === 'connection' && told.state === 'offline')
  return { folder, link }
}

describe.each(['disk', 'log'])(
  'a folder with --wins %s, whose hub went away while it was sending',
  { timeout: 120_000 },
  (wins) => {
    it('ends when it is told to', async () => {
      const { link } = await leftWhileSending(wins)
      link.child.kill('SIGTERM')
      expect(await link.exitCode).toBe(0)
    })

    it('S13 ends when the folder is gone: nothing may be sent for it any more', async () => {
      const { folder, link } = await leftWhileSending(wins)
      await removeFolder(folder)
      const error = (await link.until((told) => told.event === 'error')).at(-1)
      expect(error?.message).toContain('the linked folder is gone')
      expect(await link.exitCode).toBe(1)
    })
  },
)

it('a folder of which nothing is remembered any more ends when it is told to', {
  timeout: 120_000,
}, async () => {
  const hub = await HubProcess.start()
  onTestFinished(async () => {
    await hub.kill()
    await removeFolder(hub.data)
  })
  const [folder, state] = [await temporaryFolder(), await temporaryFolder()]
  const link = startLink(folder, hub, '--run', 'new', '--state', state)
  await link.until(inStep)
  await removeFolder(state)
  link.child.kill('SIGTERM')
  expect(await link.exitCode).toBe(0)
})
