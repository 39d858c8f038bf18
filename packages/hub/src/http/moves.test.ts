import { paths } from '@farhand/protocol/routes'
import { describe, expect, it } from 'vitest'
import { HubUnderTest } from './hub-under-test.ts'

const message = { jsonrpc: '2.0', method: '_posthog/user_message', params: { content: 'hi' } }

describe('W46 a run that moves', () => {
  it('comes to a device with its runner, in one step, or not at all', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run({ sandbox: 'auto', agent: 'rehearsal' })
    const begin = (after: number) => hub.ask('POST', paths.runner(at), { body: { after } })
    expect(await begin(1)).toMatchObject({ status: 409, body: { error: { code: 'run.taken', current: 0 } } })
    expect((await hub.ask('GET', paths.run(at))).body).toMatchObject({ sandbox: 'auto' })
    expect(await begin(0)).toMatchObject({ status: 201, body: { generation: 1 } })
    expect((await hub.ask('GET', paths.run(at))).body).toMatchObject({ sandbox: 'none' })
    expect((await hub.ask('GET', paths.status(at))).body).toMatchObject({
      status: 'active',
      runner: { generation: 1, rests: null },
    })
  })

  it('is left alone while something is under way in it', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const { token } = await hub.runner(at)
    const { lastEventId } = (await hub.post(at, message)).body
    const ack = { jsonrpc: '2.0', method: '_posthog/ack', params: { for: 'user_message', id: lastEventId } }
    const producer = { 'Producer-Id': 'runner', 'Producer-Epoch': '1', 'Producer-Seq': '0' }
    expect((await hub.post(at, ack, { token, headers: producer })).status).toBe(202)
    const back = { body: { sandbox: 'none', after: 1 } }
    expect((await hub.ask('POST', paths.move(at), back)).status).toBe(200)
    const away = await hub.ask('POST', paths.runner(at), { body: { after: 1 } })
    expect(away).toMatchObject({ status: 409, body: { error: { code: 'run.busy' } } })
  })

  it('stays where it is if this hub has no such sandbox, and asks nobody to rest who is not there', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run({ agent: 'rehearsal' })
    const asked = await hub.ask('POST', paths.move(at), { body: { sandbox: 'auto', after: 0, check: true } })
    expect(asked).toMatchObject({ status: 409, body: { error: { code: 'sandbox.refused' } } })
    const rest = await hub.ask('POST', paths.rest(at))
    expect(rest).toMatchObject({ status: 202, body: { isAsked: false, lastEventId: 0 } })
    const { token } = await hub.runner(at)
    await hub.stream(at, '?to=agent', {}, token)
    for (const _ of ['first', 'again']) {
      const again = await hub.ask('POST', paths.rest(at))
      expect(again).toMatchObject({ status: 202, body: { isAsked: true, lastEventId: 2 } })
    }
  })
})
