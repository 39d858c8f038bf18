import { frameLimits } from '@farhand/protocol/schemas/device-frames'
import { expect, it } from 'vitest'
import { RequestsUnderTest, until } from './requests-under-test.ts'

it('W102 the newest socket of a device stays, and the one before is closed', async () => {
  const hub = await RequestsUnderTest.start()
  const one = await hub.device('laptop')
  const two = hub.again(one)
  one.connect()
  two.connect()
  expect(one.closed).toEqual({ code: 4001 })
  one.disconnect()
  expect(hub.collab.presence.online(hub.user)).toMatchObject([{ device: one.id }])
  two.disconnect()
  expect(hub.collab.presence.online(hub.user)).toEqual([])
})

it('W102 a socket that answers two heartbeats in a row with nothing counts as offline', async () => {
  const hub = await RequestsUnderTest.start()
  const device = await hub.device('laptop')
  device.connect()
  const beat = () => {
    for (let tick = 0; tick < 6; tick += 1) hub.collab.lines.tick()
  }
  beat()
  device.alive()
  beat()
  beat()
  expect(device.closed).toBeNull()
  expect(device.pings).toBe(3)
  expect(device.frames.filter(({ type }) => type === 'acp_ping')).toHaveLength(3)
  beat()
  expect(device.closed).toEqual({ code: 1006 })
  expect(hub.collab.presence.online(hub.user)).toEqual([])
})

it('W102 a ping in JSON is answered, for programs that cannot see those of the protocol', async () => {
  const hub = await RequestsUnderTest.start()
  const device = await hub.device('laptop')
  device.connect()
  device.say('acp_ping', {})
  expect(device.frames.at(-1)).toMatchObject({ type: 'acp_pong' })
})

it('W102 a malformed frame is answered with what is wrong, and after five the socket is closed', async () => {
  const hub = await RequestsUnderTest.start()
  const device = await hub.device('laptop')
  device.connect()
  const wrong = [
    '{',
    null,
    '{"type":"acp_run_shell","seq":1,"data":{}}',
    '{"type":"acp_ack","seq":1,"data":{"request_id":"../../etc/passwd"}}',
  ]
  for (const text of wrong) device.raw(text)
  expect(device.closed).toBeNull()
  device.raw('{"type":"acp_reply","seq":1,"data":{"request_id":"req_aaaaaaaa"}}')
  expect(device.closed).toEqual({ code: 1008 })
  const errors = device.frames.flatMap((frame) => (frame.type === 'acp_error' ? [frame.data] : []))
  expect(errors).toHaveLength(frameLimits.malformed)
  expect(errors.every(({ code }) => code === 'request.malformed')).toBe(true)
  expect(errors.at(-1)!.message).toContain('expected either a result or an error')
})

it('W102 a device that sends too many frames is told so, and its socket is closed', async () => {
  const hub = await RequestsUnderTest.start()
  const device = await hub.device('laptop')
  device.connect()
  for (let sent = 0; device.closed === null && sent < 10_000; sent += 1) device.say('acp_pong', {})
  expect(device.closed).toEqual({ code: 1008 })
  expect(device.frames.at(-1)).toMatchObject({ type: 'acp_error', data: { code: 'acp.too-fast' } })
})

it('W104 several devices: the one that was used last gets the next request', async () => {
  const hub = await RequestsUnderTest.start()
  const devices = await Promise.all(['one', 'two', 'three'].map((name) => hub.device(name)))
  for (const device of devices) device.connect()
  const named = await hub.ask({ device: devices[0]!.id })
  await until(async () => (await hub.request(named.id)).state === 'done')
  hub.now += 1000
  expect(await hub.ask({})).toMatchObject({ device: devices[0]!.id })
})
