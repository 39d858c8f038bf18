import { expect, it } from 'vitest'
import { revokeDevice } from '../access/bound-devices.ts'
import { methods, pageOf, RequestsUnderTest, until } from './requests-under-test.ts'

it('W107 a cancel that a killed hub left half done is completed when the hub starts again', async () => {
  const hub = await RequestsUnderTest.start()
  const request = await hub.ask({ needs_device: true })
  let steps = 0
  hub.step = () => {
    steps += 1
    if (steps > 1) throw new Error('killed')
  }
  await expect(hub.collab.requests.cancel(hub.user, request.id)).rejects.toThrow('killed')
  expect((await hub.request(request.id)).state).toBe('canceled')
  hub.kill()
  hub.step = () => {}
  await hub.open()
  expect(await methods(hub, request.run)).toContain('_posthog/message_edit')
})

it('W107 a canceled request is taken back wherever the hub failed while it was being settled', async () => {
  const hub = await RequestsUnderTest.start()
  for (let at = 1; at <= 8; at += 1) {
    let steps = 0
    hub.step = () => {
      steps += 1
      if (steps === at) throw new Error('killed')
    }
    await hub.ask({ needs_device: true }).catch(() => {})
  }
  hub.step = () => {}
  const { items } = await pageOf(hub)
  expect(items.map(({ state }) => state)).toContain('routed')
  for (const { id, run } of items) {
    expect((await hub.collab.requests.cancel(hub.user, id)).state).toBe('canceled')
    expect(await methods(hub, run)).toContain('_posthog/message_edit')
  }
})

it('W106 an offer is not told twice, and ends its request, if the hub was killed in between and the agent said more', async () => {
  const hub = await RequestsUnderTest.start()
  const request = await hub.ask({})
  let steps = 0
  hub.step = () => {
    steps += 1
    // The fifth ends the request, after the offer was noted.
    if (steps >= 5) throw new Error('killed')
  }
  const message = await hub.messageOf(request.run)
  await hub.work(request.run, message, 'FOR YOUR COMPUTER: print it')
  await until(() => steps >= 5)
  hub.kill()
  await hub.work(request.run, message, 'FOR YOUR COMPUTER: burn it')
  hub.step = () => {}
  await hub.open()
  await until(async () => (await hub.request(request.id)).state === 'done')
  const offered = (await pageOf(hub)).items.filter(({ part_of }) => part_of === request.id)
  expect(offered.map((one) => one.message)).toEqual(['print it'])
})

it('W104 what a device has not done when it is revoked fails, and its message is taken back', async () => {
  const hub = await RequestsUnderTest.start()
  const device = await hub.device('laptop')
  device.answers = false
  const queued = await hub.ask({ needs_device: true, device: device.id })
  device.connect()
  const sent = await hub.ask({})
  await revokeDevice(hub.db, hub.user, device.id, new Date())
  await hub.collab.requests.expire()
  for (const { id, run } of [queued, sent]) {
    expect((await hub.request(id)).state).toBe('failed')
    expect(await methods(hub, run)).toContain('_posthog/message_edit')
  }
})
