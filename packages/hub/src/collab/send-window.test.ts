import { newId, RequestId, RunId } from '@farhand/protocol/wire/ids'
import { expect, it } from 'vitest'
import { pageOf, RequestsUnderTest, until } from './requests-under-test.ts'

it('W101 a device gets at most ten requests that it has not confirmed, and the next ones as it confirms', async () => {
  const hub = await RequestsUnderTest.start()
  const device = await hub.device('laptop')
  device.answers = false
  for (let nth = 0; nth < 12; nth += 1) await hub.ask({ needs_device: true })
  device.connect()
  await until(() => device.requests().length >= 10)
  const live = await hub.ask({ needs_device: true })
  expect(device.requests()).toHaveLength(10)
  expect((await pageOf(hub)).items.filter(({ state }) => state === 'queued')).toHaveLength(2)
  device.say('acp_ack', { request_id: device.requests()[0] })
  await until(() => device.requests().length === 11)
  await hub.collab.requests.cancel(hub.user, device.requests()[1])
  await until(() => device.requests().length === 12)
  device.say('acp_ack', { request_id: device.requests()[2] })
  await until(() => device.requests().includes(live.id))
})

it('W101 a queue larger than what a socket holds is done piece by piece, and the device stays connected', async () => {
  const hub = await RequestsUnderTest.start()
  const device = await hub.device('laptop')
  const message = 'x'.repeat(99_000) + '\u0001'.repeat(999)
  for (let nth = 0; nth < 12; nth += 1) await hub.ask({ needs_device: true, message })
  device.answers = false
  device.connect()
  await until(() => device.requests().length > 0)
  const bytes = device.frames.reduce((sum, frame) => sum + JSON.stringify(frame).length, 0)
  expect(bytes).toBeLessThan(1024 * 1024 + 1000)
  device.answers = true
  device.connect()
  await until(async () => (await pageOf(hub)).items.every(({ state }) => state === 'done'))
  expect(device.closed).toBeNull()
})

it('W103 a user has at most 500 open requests, of which 50 in one conversation', async () => {
  const hub = await RequestsUnderTest.start()
  const first = await hub.ask({ needs_device: true })
  const row = await hub.db.selectFrom('acp_requests').selectAll().executeTakeFirstOrThrow()
  const copies = (count: number, run: () => RunId) =>
    hub.db
      .insertInto('acp_requests')
      .values(Array.from({ length: count }, () => ({ ...row, id: newId(RequestId, 'req'), run_id: run() })))
      .execute()
  await copies(48, () => first.run)
  await hub.ask({ conversation: first.run })
  const refused = { code: 'acp.request-refused' }
  await expect(hub.ask({ conversation: first.run })).rejects.toMatchObject(refused)
  for (let nth = 0; nth < 9; nth += 1) await copies(50, () => newId(RunId, 'run'))
  await expect(hub.ask({ needs_device: true })).rejects.toMatchObject(refused)
  await hub.collab.requests.cancel(hub.user, first.id)
  await hub.ask({ needs_device: true })
})
