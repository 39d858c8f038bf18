import { paths } from '@farhand/protocol/wire/routes'
import { describe, expect, it } from 'vitest'
import { HubUnderTest } from './hub-under-test.ts'

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

  it('is left to a runner that is at work, until that runner says that it rests', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run({ sandbox: 'auto' })
    const { token } = await hub.runner(at)
    await hub.stream(at, '?to=agent', {}, token)
    const take = () => hub.ask('POST', paths.runner(at), { body: { after: 1 } })
    expect(await take()).toMatchObject({ status: 409, body: { error: { code: 'run.busy' } } })
    const { lastEventId } = (await hub.ask('POST', paths.rest(at))).body
    const params = { for: lastEventId, rests: true }
    const headers = { 'Producer-Id': 'runner', 'Producer-Epoch': '1', 'Producer-Seq': '0' }
    await hub.post(at, { jsonrpc: '2.0', method: '_posthog/rest_answer', params }, { token, headers })
    expect(await take()).toMatchObject({ status: 201, body: { generation: 2 } })
  })

  it('stays where it is if this hub has no such sandbox, and asks its runner to rest only if that is connected', async () => {
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
