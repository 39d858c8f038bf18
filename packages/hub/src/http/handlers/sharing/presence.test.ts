import type { Presence } from '@farhand/protocol/schemas/sharing'
import { paths } from '@farhand/protocol/wire/routes'
import { describe, expect, it } from 'vitest'
import type { ReadStream } from '../../hub-under-test.ts'
import { SharedHub } from './shared-hub-under-test.ts'

/** Reads on until what is told of presence is as wanted; what is told twice or late does not matter. */
async function untilPresent(stream: ReadStream, wanted: (presence: Presence) => boolean): Promise<Presence> {
  const seen = await stream.until(
    ({ event, data }) => event === 'presence' && wanted(JSON.parse(data!) as Presence),
  )
  return JSON.parse(seen.at(-1)!.data!)
}

const look = ({ hub, at }: SharedHub, token: string, said: object) =>
  hub.ask('PUT', paths.runLooking(at.run), { body: { isLooking: true, client: 'tab1', ...said }, token })

describe('presence', () => {
  it('W115 says who looks at a run and who is typing, without an id, and is in no log', async () => {
    const shared = await SharedHub.start()
    const { hub, at } = shared
    const viewer = await shared.joined('vik', 'viewer')
    const stream = await hub.stream(at, '?presence=1')
    const before = await stream.until(({ event }) => event === 'presence')
    expect(before.map(({ event }) => event)).toEqual(['live', 'presence'])
    expect(before.at(-1)).toEqual({ event: 'presence', data: '{"people":[],"guests":0}' })
    await look(shared, viewer.token, {})
    const person = { user: viewer.user, name: 'vik' }
    expect(await untilPresent(stream, ({ people }) => people.length > 0)).toEqual({
      people: [{ ...person, isTyping: false }],
      guests: 0,
    })
    await look(shared, viewer.token, { isTyping: true })
    await untilPresent(stream, ({ people }) => people[0]?.isTyping === true)
    // Another page of the same user is no second person, and none that ends the first.
    await look(shared, viewer.token, { client: 'tab2' })
    await look(shared, hub.token, { client: 'tab2', isLooking: false })
    await look(shared, viewer.token, {})
    expect((await untilPresent(stream, ({ people }) => people[0]?.isTyping === false)).people).toHaveLength(1)
    await look(shared, viewer.token, { client: 'tab2', isLooking: false })
    await look(shared, viewer.token, { isLooking: false })
    await untilPresent(stream, ({ people }) => people.length === 0)
    expect((await hub.ask('GET', paths.log(at))).body).toBe('')
  })

  it('W115 is told to none who did not ask', async () => {
    const shared = await SharedHub.start()
    const { hub, at } = shared
    const [asking, other] = [await hub.stream(at, '?presence=1'), await hub.stream(at)]
    await other.until(({ event }) => event === 'live')
    await look(shared, hub.token, {})
    await untilPresent(asking, ({ people }) => people.length === 1)
    await hub.post(at, { jsonrpc: '2.0', method: '_posthog/user_message', params: { content: 'hi' } })
    expect((await other.next())?.event).toBeUndefined()
  })

  it('W114 W115 guests are counted, are told no names, and can report nothing', async () => {
    const shared = await SharedHub.start()
    const { hub, at } = shared
    const { token } = await shared.link()
    const own = await hub.stream(at, '?presence=1')
    await look(shared, hub.token, {})
    await untilPresent(own, ({ people }) => people.length === 1)
    const guest = await hub.stream(at, '?presence=1', {}, token)
    await untilPresent(own, ({ guests }) => guests === 1)
    expect(await untilPresent(guest, ({ guests }) => guests === 1)).toEqual({ people: [], guests: 1 })
    expect((await look(shared, token, {})).status).toBe(403)
    guest.leave()
    await untilPresent(own, ({ guests }) => guests === 0)
  })

  it('W111 W115 a user who is removed is shown to others no more', async () => {
    const shared = await SharedHub.start()
    const { hub, at } = shared
    const viewer = await shared.joined('vik', 'viewer')
    const stream = await hub.stream(at, '?presence=1')
    await look(shared, viewer.token, {})
    await untilPresent(stream, ({ people }) => people.length === 1)
    await shared.remove(viewer)
    await untilPresent(stream, ({ people }) => people.length === 0)
    expect((await look(shared, viewer.token, {})).status).toBe(404)
  })
})
