import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { onLoopback } from '@farhand/testkit/on-loopback'
import { describe, expect, it, onTestFinished } from 'vitest'
import { chunk, HubUnderTest, message, notification } from '../http/hub-under-test.ts'
import { callbacksOf } from '../store/callbacks.ts'
import { openSqliteStore } from '../store/sqlite-store.ts'

type Called = {
  body: { event: string; id: number; text?: string }
  raw: string
  headers: IncomingHttpHeaders
}

/** A user's server, which answers with these, one after the other, and then with 204. */
async function listener(...statuses: number[]) {
  const arrived: Called[] = []
  const waiting: ((called: Called) => void)[] = []
  const server = createServer((req, res) => {
    const parts: Buffer[] = []
    req.on('data', (part: Buffer) => parts.push(part))
    req.on('end', () => {
      const raw = Buffer.concat(parts).toString()
      const called = { body: JSON.parse(raw), raw, headers: req.headers }
      res.writeHead(statuses.shift() ?? 204).end()
      const next = waiting.shift()
      if (next) next(called)
      else arrived.push(called)
    })
  })
  const { url, close } = await onLoopback(server)
  onTestFinished(close)
  const next = async (): Promise<Called> =>
    arrived.shift() ?? (await new Promise((resolve) => waiting.push(resolve)))
  return { url: `${url}/hook`, next }
}

const register = (url: string, secret?: string) => ({
  type: 'register_callback',
  callbacks: [{ url, events: ['agent_message', 'question', 'done', 'error'], ...(secret && { secret }) }],
})

async function runWith(hub: HubUnderTest, url: string, secret?: string) {
  const at = await hub.run()
  const { token } = await hub.runner(at)
  const say = (method: string, params: Record<string, unknown>) =>
    hub.post(at, notification(method, params), { token })
  await hub.post(at, message('before anybody listened'))
  await say('_posthog/ack', { for: '_posthog/user_message', id: 2 })
  expect((await hub.post(at, register(url, secret))).status).toBe(200)
  return { at, token, say }
}

describe('web hooks', () => {
  it('W14 are sent what happens from then on, in order, signed with the time', async () => {
    const { url, next } = await listener()
    const hub = await HubUnderTest.start({ allowPrivateCalls: true })
    const { at, token, say } = await runWith(hub, url, 'between us')
    await hub.post(at, chunk('Hel'), { token })
    await hub.post(at, chunk('lo'), { token })
    await say('_posthog/turn_complete', { messageId: 2, stopReason: 'end_turn' })
    const first = await next()
    expect(first.body).toMatchObject({ event: 'agent_message', id: 5, run: at.run, text: 'Hello' })
    const { 'farhand-timestamp': time, 'farhand-signature': signature } = first.headers
    const expected = createHmac('sha256', 'between us').update(`${time}.${first.raw}`).digest('hex')
    expect(signature).toBe(`sha256=${expected}`)
    expect((await next()).body).toMatchObject({ event: 'done', id: 6 })
  })

  it('W14 are called again until they accept it, by the next hub if need be, and not for what they accepted', async () => {
    const { url, next } = await listener(204, 500)
    const hub = await HubUnderTest.start({ allowPrivateCalls: true })
    const { at, say } = await runWith(hub, url)
    await say('_posthog/error', { message: 'one' })
    expect((await next()).body.id).toBe(4)
    await say('_posthog/error', { message: 'two' })
    expect((await next()).body.id).toBe(5)
    await hub.hub.stop()
    const again = await HubUnderTest.on(hub.data, { allowPrivateCalls: true }, hub.token)
    const repeated = await next()
    expect(repeated.body.id).toBe(5)
    expect(repeated.headers['farhand-event-id']).toBe('5')
    expect(repeated.headers['farhand-signature']).toBeUndefined()
    await again.ask('GET', `/api/runs/${at.run}`)
  })

  it('W14 one that is gone is forgotten, and one in a private network is not called', async () => {
    const { url, next } = await listener(410)
    const hub = await HubUnderTest.start({ allowPrivateCalls: true })
    const { at, say } = await runWith(hub, url)
    await say('_posthog/error', { message: 'one' })
    await next()
    const store = await openSqliteStore(join(hub.data, 'store.sqlite'))
    onTestFinished(() => store.close())
    await expect.poll(() => callbacksOf(store.db, at.run), { timeout: 60_000 }).toEqual([])

    // Registered while the operator allowed it: a hub that does not allow it any more does not call.
    const open = await HubUnderTest.start({ allowPrivateCalls: true })
    const other = await runWith(open, url)
    await open.hub.stop()
    const careful = await HubUnderTest.on(open.data, {}, open.token)
    await careful.post(other.at, notification('_posthog/error', { message: 'one' }), { token: other.token })
    const theirs = await openSqliteStore(join(careful.data, 'store.sqlite'))
    onTestFinished(() => theirs.close())
    // It is passed over, and nothing arrived: the listener would have it before this one.
    await expect
      .poll(() => callbacksOf(theirs.db, other.at.run), { timeout: 60_000 })
      .toMatchObject([{ sentTo: 4 }])
    await hub.post(at, register(url))
    await say('_posthog/error', { message: 'two' })
    expect((await next()).body).toMatchObject({ run: at.run, id: 5 })
  })
})
