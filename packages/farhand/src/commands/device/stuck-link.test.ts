import { HubProcess } from '@farhand/testkit/hub-process'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../../farhand-under-test.ts'
import { write } from '../link/link-under-test.ts'
import { DeviceUnderTest } from './device-under-test.ts'

let hub: HubProcess
beforeAll(async () => {
  hub = await HubProcess.start()
})
afterAll(() => hub.kill('SIGKILL'))

/** A folder that is kept in the background by a device process that answers nothing and hears only the last signal. */
async function stuck() {
  const [machine, folder] = [await DeviceUnderTest.begin(), await temporaryFolder()]
  await write(folder, { 'a.txt': 'one' })
  await machine.keep(folder, hub)
  await machine.inStep(folder)
  const pid = machine.folders.holder(folder)!
  process.kill(pid, 'SIGSTOP')
  return { machine, folder, pid }
}

it('a link that does not react is paused, and goes on with the next one', { timeout: 240_000 }, async () => {
  const { machine, folder, pid } = await stuck()
  const status = await machine.call('status')
  expect([status.code, status.text]).toEqual([0, expect.stringContaining(folder)])
  const paused = await machine.call('pause', folder)
  expect([paused.code, paused.text]).toEqual([0, expect.stringContaining('is paused')])
  expect(machine.folders.holder(folder)).toBeNull()
  const resumed = await machine.call('resume', folder)
  expect([resumed.code, resumed.text]).toEqual([0, expect.stringContaining('in step again')])
  expect(machine.folders.holder(folder)).not.toBe(pid)
})

it('a folder whose link does not react can be unlinked', { timeout: 240_000 }, async () => {
  const { machine, folder } = await stuck()
  const unlinked = await machine.call('unlink', folder)
  expect([unlinked.code, unlinked.text]).toEqual([0, expect.stringContaining('is no longer linked')])
  expect(machine.folders.state.find(folder)).toBeNull()
})
