import { computerIsOff } from '@farhand/protocol/schemas/requests'
import { RequestId } from '@farhand/protocol/wire/ids'
import { Dice } from '@farhand/testkit/dice'
import { again, newSeed } from '@farhand/testkit/seeded'
import { expect, inject, it } from 'vitest'
import { createProject } from '../store/projects.ts'
import { methods, noCloud, pageOf, RequestsUnderTest, until } from './requests-under-test.ts'

it('W103 W104 a request goes to the connected device, and its run shows what was asked and answered', async () => {
  const hub = await RequestsUnderTest.start()
  const device = await hub.device('laptop')
  device.connect()
  const request = await hub.ask({ message: 'send the contract', channel: 'wechat' })
  expect(request).toMatchObject({ decided: 'device', device: device.id, notice: null })
  await until(async () => (await hub.request(request.id)).state === 'done')
  expect(device.frames.find(({ type }) => type === 'acp_request')).toMatchObject({
    seq: expect.any(Number),
    data: {
      request_id: request.id,
      message: 'send the contract',
      channel: 'wechat',
      user_id: hub.user,
      run: { run: request.run },
    },
  })
  const events = await hub.events(request.run)
  expect(events[0]).toMatchObject({
    by: { kind: 'channel', id: 'wechat' },
    notification: { params: { content: 'send the contract' } },
  })
  const chunk = events.find(({ notification }) => notification.method === 'agent_message_chunk')
  expect(chunk?.notification.params).toEqual({ text: `did ${request.id}` })
  const { states } = await hub.request(request.id)
  expect(states.map(({ state }) => state)).toEqual(['routed', 'sent', 'working', 'done'])
})

it('W103 a project that a user calls Requests gets none of the runs of requests', async () => {
  const hub = await RequestsUnderTest.start()
  const own = await createProject(hub.db, hub.user, { name: 'Requests' }, new Date())
  await hub.ask({ message: 'write a poem' })
  await hub.ask({ message: 'write another' })
  const tasks = await hub.db.selectFrom('tasks').select('project_id').execute()
  expect(tasks).toHaveLength(2)
  expect(new Set(tasks.map(({ project_id }) => project_id)).size).toBe(1)
  expect(tasks[0]!.project_id).not.toBe(own.id)
})

it('W105 without a device a sandbox answers: the user is told so, and the agent is told what it cannot do', async () => {
  const hub = await RequestsUnderTest.start()
  const request = await hub.ask({ message: 'write a poem' })
  expect(request).toMatchObject({ decided: 'cloud', state: 'working', device: null, notice: computerIsOff })
  const [message, notice] = await hub.events(request.run)
  expect(message!.notification.params!.content).toMatch(/cannot reach files, apps.*write a poem$/s)
  expect(notice!.notification).toMatchObject({
    method: '_posthog/console',
    params: { message: computerIsOff },
  })
  await hub.work(request.run, message!.id, 'Roses are red.')
  await until(async () => (await hub.request(request.id)).state === 'done')
})

it('W104 what needs a device waits, with the words of the seed, and is given once to the device that comes', async () => {
  const hub = await RequestsUnderTest.start()
  const device = await hub.device('laptop')
  const request = await hub.ask({ needs_device: true })
  expect(request).toMatchObject({ decided: 'queue', state: 'queued', device: null })
  expect(request.notice).toContain(
    "Your computer is not on right now. I'll do what I can — want me to queue the rest for when you're back online?",
  )
  const other = await hub.device('desk')
  device.connect()
  other.connect()
  await until(async () => (await hub.request(request.id)).state === 'done')
  device.connect()
  expect([...device.done.values(), ...other.done.values()]).toEqual([1])
})

it('W106 the user says yes to what the agent in a sandbox left over, and then the device does it, once', async () => {
  const hub = await RequestsUnderTest.start()
  const device = await hub.device('laptop')
  const request = await hub.ask({})
  await hub.work(request.run, await hub.messageOf(request.run), 'Here it is.\nFOR YOUR COMPUTER: print it')
  await until(async () => (await hub.request(request.id)).state === 'done')
  const { items } = await pageOf(hub)
  const offered = items.find(({ part_of }) => part_of === request.id)!
  expect(offered).toMatchObject({ state: 'offered', message: 'print it', run: request.run })
  device.connect()
  expect(device.requests()).toEqual([])
  const [one, two] = await Promise.all([hub.accept(offered.id), hub.accept(offered.id)])
  expect(one.run).toBe(two.run)
  expect(one.run).not.toBe(request.run)
  await until(async () => (await hub.request(offered.id)).state === 'done')
  expect(device.done).toEqual(new Map([[offered.id, 1]]))
  await expect(hub.accept(request.id)).rejects.toMatchObject({ code: 'acp.request-settled' })
})

it('W106 what was offered does nothing when the user says no', async () => {
  const hub = await RequestsUnderTest.start()
  const request = await hub.ask({})
  await hub.work(request.run, await hub.messageOf(request.run), 'FOR YOUR COMPUTER: print it')
  await until(async () => (await pageOf(hub)).items.some(({ state }) => state === 'offered'))
  const offered = (await pageOf(hub)).items.find(({ state }) => state === 'offered')!
  expect(await hub.collab.requests.cancel(hub.user, offered.id)).toMatchObject({ state: 'canceled' })
  await expect(hub.accept(offered.id)).rejects.toMatchObject({ code: 'acp.request-settled' })
})

it('W103 a request that a device delegated never comes back to it, also not what is left over from it', async () => {
  const hub = await RequestsUnderTest.start()
  const device = await hub.device('laptop')
  device.connect()
  const delegated = await hub.ask({ origin_device: device.id })
  expect(delegated.decided).toBe('cloud')
  expect((await hub.ask({}, undefined, device.id)).decided).toBe('cloud')
  await expect(
    hub.ask({ origin_device: device.id, device: device.id, needs_device: true }),
  ).rejects.toMatchObject({
    code: 'acp.request-refused',
  })
  await hub.work(delegated.run, await hub.messageOf(delegated.run), 'FOR YOUR COMPUTER: print it')
  await until(async () => (await pageOf(hub)).items.some(({ state }) => state === 'offered'))
  const offered = (await pageOf(hub)).items.find(({ state }) => state === 'offered')!
  expect(await hub.accept(offered.id)).toMatchObject({ decided: 'queue', state: 'queued' })
  device.connect()
  const other = await hub.device('desk')
  other.connect()
  await until(async () => (await hub.request(offered.id)).state === 'done')
  expect(device.requests()).toEqual([])
  expect(other.requests()).toEqual([offered.id])
})

it('W104 a request that no device came for expires, visibly, and is not given to one that comes later', async () => {
  const hub = await RequestsUnderTest.start()
  const device = await hub.device('laptop')
  const request = await hub.ask({ needs_device: true, device: device.id })
  hub.now += 7 * 24 * 60 * 60 * 1000 - 1
  await hub.collab.requests.expire()
  expect((await hub.request(request.id)).state).toBe('queued')
  hub.now += 1
  await hub.collab.requests.expire()
  expect((await hub.request(request.id)).state).toBe('expired')
  const last = (await hub.events(request.run)).at(-1)!
  expect(last.notification.params!.message).toMatch(/expired/)
  device.connect()
  await hub.ask({ device: device.id })
  await until(() => device.done.size === 1)
  expect(device.requests()).not.toContain(request.id)
})

it('W107 a canceled request is taken back from its run, and the device that has it is told', async () => {
  const hub = await RequestsUnderTest.start()
  const device = await hub.device('laptop')
  device.answers = false
  device.connect()
  const request = await hub.ask({})
  await hub.collab.requests.cancel(hub.user, request.id)
  expect(await methods(hub, request.run)).toContain('_posthog/message_edit')
  device.say('acp_ack', { request_id: request.id })
  await until(() => device.frames.filter(({ type }) => type === 'acp_cancel').length === 2)
  expect((await hub.request(request.id)).state).toBe('canceled')
})

it('W103 a request that came through two devices goes back to neither of them', async () => {
  const hub = await RequestsUnderTest.start()
  const [one, two, three] = [await hub.device('one'), await hub.device('two'), await hub.device('three')]
  const request = await hub.ask({ needs_device: true, origin_device: two.id }, undefined, one.id)
  one.connect()
  two.connect()
  const row = await hub.collab.requests.ofUser(hub.user, request.id)
  await hub.collab.requests.giveTo(row, two.id)
  three.connect()
  await until(async () => (await hub.request(request.id)).state === 'done')
  const goesOn = hub.ask({ conversation: request.run }, undefined, one.id)
  expect((await goesOn).device).toBe(three.id)
  expect([one.requests(), two.requests()]).toEqual([[], []])
})

it('W101 a device that confirmed nothing gets its requests again, and does each once', async () => {
  const hub = await RequestsUnderTest.start()
  const device = await hub.device('laptop')
  device.isLost = () => true
  device.connect()
  const request = await hub.ask({})
  expect((await hub.request(request.id)).state).toBe('sent')
  device.disconnect()
  device.isLost = () => false
  device.connect()
  device.connect()
  await until(async () => (await hub.request(request.id)).state === 'done')
  expect(device.done.get(request.id)).toBe(1)
})

it('W101 the words of a reply are in the log once, also if the reply comes again', async () => {
  const hub = await RequestsUnderTest.start()
  const device = await hub.device('laptop')
  device.connect()
  const request = await hub.ask({})
  await until(async () => (await hub.request(request.id)).state === 'done')
  device.say('acp_reply', { request_id: request.id, result: 'something else' })
  device.say('acp_reply', { request_id: request.id, error: 'no' })
  await until(() => device.frames.filter(({ type }) => type === 'acp_ack').length >= 3)
  expect((await methods(hub, request.run)).filter((name) => name === 'agent_message_chunk')).toHaveLength(1)
  expect((await hub.request(request.id)).state).toBe('done')
})

it('W101 progress of a device is in the log of the run, and an error ends the request as failed', async () => {
  const hub = await RequestsUnderTest.start()
  const device = await hub.device('laptop')
  device.answers = false
  device.connect()
  const { id, run } = await hub.ask({})
  device.say('acp_ack', { request_id: id })
  device.say('acp_progress', { request_id: id, phase: 'reading', completed: 2, total: 5, current: 'a.txt' })
  device.say('acp_reply', { request_id: id, error: { message: 'no such file' } })
  await until(async () => (await hub.request(id)).state === 'failed')
  const said = (await hub.events(run)).map(({ notification }) => notification.params?.message)
  expect(said).toContain('reading: 2 of 5: a.txt')
  expect(said).toContain('no such file')
})

it('W102 a device cannot confirm, report on or answer what another device has, and learns nothing about it', async () => {
  const hub = await RequestsUnderTest.start()
  const [device, other] = [await hub.device('laptop'), await hub.device('desk')]
  device.answers = false
  device.connect()
  const { id } = await hub.ask({})
  other.connect()
  const unknown = RequestId.parse('req_doesnotexist')
  for (const request_id of [id, unknown]) {
    other.say('acp_ack', { request_id })
    other.say('acp_progress', { request_id, text: 'x' })
    other.say('acp_reply', { request_id, result: 'x' })
  }
  await until(() => other.frames.filter(({ type }) => type === 'acp_error').length === 6)
  const errors = other.frames.flatMap((frame) => (frame.type === 'acp_error' ? [frame.data] : []))
  expect(new Set(errors.map(({ code, message }) => `${code} ${message}`)).size).toBe(1)
  expect((await hub.request(id)).state).toBe('sent')
})

it('W103 a conversation goes on in its run, and stays on the device that has its files', async () => {
  const hub = await RequestsUnderTest.start()
  const device = await hub.device('laptop')
  device.connect()
  const first = await hub.ask({})
  await until(async () => (await hub.request(first.id)).state === 'done')
  device.disconnect()
  const second = await hub.ask({ message: 'and now?', conversation: first.run })
  expect(second).toMatchObject({ run: first.run, decided: 'queue', device: device.id })
  device.connect()
  await until(async () => (await hub.request(second.id)).state === 'done')
  const words = (await hub.events(first.run)).filter(
    ({ notification }) => notification.method === 'agent_message_chunk',
  )
  expect(words.map(({ notification }) => notification.params!.text)).toEqual([
    `did ${first.id}`,
    `did ${second.id}`,
  ])
})

it('W103 where there are no sandboxes a request waits for a device', async () => {
  const hub = await RequestsUnderTest.start()
  hub.here = noCloud
  expect(await hub.ask({})).toMatchObject({ decided: 'queue', state: 'queued', needs_device: false })
})

it('W103 the same key gives the same request, and another message with it is refused', async () => {
  const hub = await RequestsUnderTest.start()
  const [one, two] = await Promise.all([hub.ask({}, 'k'), hub.ask({}, 'k')])
  expect(two.id).toBe(one.id)
  await expect(hub.ask({ message: 'another' }, 'k')).rejects.toMatchObject({ code: 'key.reused' })
})

const rounds = inject('long') ? 400 : 25

it('W101 W104 each request is done once and ends, however often the hub and the device are killed and frames are lost', async () => {
  const first = newSeed()
  let kills = 0
  for (let seed = first; seed < first + rounds; seed += 1) {
    const dice = new Dice(seed)
    const hub = await RequestsUnderTest.start()
    hub.here = dice.next() < 0.5 ? noCloud : hub.here
    const device = await hub.device('laptop')
    let isDown = false
    hub.step = () => {
      if (isDown) throw new Error('killed')
      if (dice.next() > 0.08) return
      isDown = true
      kills += 1
      throw new Error('killed')
    }
    device.isLost = () => isDown || dice.next() < 0.15
    const reopen = async () => {
      const step = hub.step
      hub.step = () => {}
      hub.kill()
      isDown = false
      await hub.open()
      hub.step = step
      if (dice.next() < 0.7) device.connect()
      else device.disconnect()
    }
    const asked = new Set<string>()
    for (let key = 0; key < 4; key += 1) {
      for (let isAsked = false; !isAsked; ) {
        try {
          const { id } = await hub.ask({ needs_device: true, message: `do ${key}` }, `key ${key}`)
          asked.add(id)
          isAsked = true
        } catch {
          await reopen()
        }
      }
      if (dice.next() < 0.5) device.connect()
    }
    hub.step = () => {}
    device.isLost = () => false
    hub.kill()
    isDown = false
    await hub.open()
    device.connect()
    const ids = [...asked].map((id) => RequestId.parse(id))
    await until(async () => {
      const all = await Promise.all(ids.map((id) => hub.request(id)))
      return all.every(({ state }) => state === 'done')
    })
    expect(asked.size, again(seed)).toBe(4)
    for (const id of ids) {
      expect(device.done.get(id), again(seed)).toBe(1)
      const { run } = await hub.request(id)
      const written = await methods(hub, run)
      for (const name of ['_posthog/user_message', 'agent_message_chunk', '_posthog/turn_complete'])
        expect(
          written.filter((one) => one === name),
          `${name}: ${again(seed)}`,
        ).toHaveLength(1)
    }
    hub.kill()
  }
  // A drill in which nothing happens proves nothing.
  expect(kills).toBeGreaterThan(rounds / 2)
}, 300_000)
