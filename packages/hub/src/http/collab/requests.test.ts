import { join } from 'node:path'
import type { DeviceRequest, RequestPage } from '@farhand/protocol/schemas/requests'
import { paths } from '@farhand/protocol/wire/routes'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { bindDevice, revokeDevice } from '../../access/bound-devices.ts'
import { Secret } from '../../access/secret.ts'
import { revokeTokens } from '../../access/tokens.ts'
import { addUser } from '../../access/users.ts'
import { openSqliteStore } from '../../store/sqlite-store.ts'
import { HubUnderTest } from '../hub-under-test.ts'

type Frame = { type: string; seq: number; data: Record<string, unknown> }

/** A program on a device that was written from the seed: a WebSocket and JSON. */
class Socket {
  readonly frames: Frame[] = []
  readonly ws: WebSocket
  readonly closed: Promise<{ code: number }>
  #ring = () => {}

  private constructor(ws: WebSocket) {
    this.ws = ws
    this.closed = new Promise((resolve) => ws.on('close', (code) => resolve({ code })))
    ws.on('error', () => {})
    ws.on('message', (data) => {
      this.frames.push(JSON.parse(String(data)))
      this.#ring()
    })
    onTestFinished(() => ws.terminate())
  }

  /** Null and the HTTP status if it is refused. */
  static async open(hub: HubUnderTest, token: string | null, more = {}) {
    const ws = new WebSocket(`${hub.hub.url.replace(/^http/, 'ws')}${paths.deviceSocket()}`, {
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...more,
      },
    })
    const socket = new Socket(ws)
    const status = await new Promise<number>((resolve) => {
      ws.on('open', () => resolve(101))
      ws.on('unexpected-response', (_, answer) => {
        resolve(answer.statusCode!)
        ws.terminate()
      })
    })
    return { socket, status }
  }

  say(type: string, data: object): void {
    this.ws.send(JSON.stringify({ type, seq: 1, data }))
  }

  async next(type: string): Promise<Frame['data']> {
    for (;;) {
      const at = this.frames.findIndex((frame) => frame.type === type)
      if (at >= 0) return this.frames.splice(at, 1)[0]!.data
      await new Promise<void>((resolve) => {
        this.#ring = resolve
      })
    }
  }
}

const ask = async (hub: HubUnderTest, body: object, token = hub.token) => {
  const { status, body: request } = await hub.ask('POST', paths.requests(), { body, token })
  return { status, request: request as unknown as DeviceRequest }
}
const seen = async (hub: HubUnderTest, id: string) =>
  (await hub.ask('GET', paths.request(id as never))).body as unknown as DeviceRequest

async function ended(hub: HubUnderTest, id: string, state: string) {
  for (;;) {
    const request = await seen(hub, id)
    if (request.state === state) return request
    await new Promise(setImmediate)
  }
}

async function withStore<Answer>(
  hub: HubUnderTest,
  act: (db: Awaited<ReturnType<typeof openSqliteStore>>['db']) => Promise<Answer>,
) {
  const store = await openSqliteStore(join(hub.data, 'store.sqlite'))
  try {
    return await act(store.db)
  } finally {
    await store.close()
  }
}

const another = (hub: HubUnderTest) =>
  withStore(hub, (db) => addUser(db, { name: 'eve', role: 'member' }, new Date()))

/** The token of a new device of this user, and its id. */
const bound = (hub: HubUnderTest, user = 'owner') =>
  withStore(hub, async (db) => {
    const { id } = await db
      .selectFrom('users')
      .select('id')
      .where('name', '=', user)
      .executeTakeFirstOrThrow()
    const { acp_token: token, device_id: id_ } = await bindDevice(
      { db, secret: new Secret(Buffer.alloc(32)) },
      { user: id, name: 'laptop' },
      new Date(),
    )
    return { token, id: id_ }
  })

it('W100 W101 a message to the hub is answered by a program that knows the seed only, and the run has both', async () => {
  const hub = await HubUnderTest.start()
  const laptop = await bound(hub)
  const { socket, status } = await Socket.open(hub, laptop.token)
  expect(status).toBe(101)
  const asked = await ask(hub, { message: 'Send the contract on my desktop to Zhang San', channel: 'wechat' })
  expect(asked).toMatchObject({ status: 201, request: { decided: 'device', device: laptop.id } })
  const { request_id } = await socket.next('acp_request')
  expect(request_id).toBe(asked.request.id)
  socket.say('acp_ack', { request_id })
  socket.say('acp_reply', { request_id, result: 'Sent.' })
  expect(await socket.next('acp_ack')).toEqual({ request_id })
  const { project, task, run } = await ended(hub, asked.request.id, 'done')
  const log = (await hub.ask('GET', paths.log({ project, task, run }))).body as unknown as string
  expect(log).toContain('Zhang San')
  expect(log).toContain('"text":"Sent."')
  const page = (await hub.ask('GET', paths.requests())).body as unknown as RequestPage
  expect(page).toMatchObject({ items: [{ id: request_id }], next: null, online: [{ device: laptop.id }] })
})

it('W100 the socket needs the token of a device, and is refused as any other request', async () => {
  const hub = await HubUnderTest.start()
  const { token, id } = await bound(hub)
  const { token: runner } = await hub.runner(await hub.run())
  const status = async (...given: [string | null, object?]) => (await Socket.open(hub, ...given)).status
  expect(await status(null)).toBe(401)
  expect(await status('fh_wrong')).toBe(401)
  expect(await status(runner)).toBe(403)
  expect(await status(hub.token)).toBe(403)
  expect(await status(hub.token, { 'device-id': id })).toBe(403)
  expect(await status(token, { origin: 'https://evil.example' })).toBe(403)
  expect(await status(token, { host: 'evil.example' })).toBe(403)
  expect((await hub.ask('GET', paths.deviceSocket(), { token })).status).toBe(400)
})

it('W107 requests of another user are not there: not to read, accept, cancel or continue', async () => {
  const hub = await HubUnderTest.start()
  const laptop = await bound(hub)
  const { request } = await ask(hub, { message: 'mine', needs_device: true })
  const { token } = await another(hub)
  const unknown = await hub.ask('GET', paths.request('req_doesnotexist' as never), { token })
  for (const [method, path] of [
    ['GET', paths.request(request.id)],
    ['POST', paths.acceptRequest(request.id)],
    ['POST', paths.cancelRequest(request.id)],
  ] as const)
    expect(await hub.ask(method, path, { token })).toMatchObject({ status: 404, body: unknown.body })
  expect((await ask(hub, { message: 'x', conversation: request.run }, token)).status).toBe(404)
  expect((await ask(hub, { message: 'x', device: laptop.id }, token)).status).toBe(400)
  expect((await hub.ask('GET', paths.requests(), { token })).body).toMatchObject({ items: [], online: [] })
  expect((await seen(hub, request.id)).state).toBe('queued')
})

it('W100 the socket of a device that is revoked, or whose tokens are, is ended, and no other', async () => {
  const hub = await HubUnderTest.start()
  await another(hub)
  const [eve, mine, lost] = [await bound(hub, 'eve'), await bound(hub), await bound(hub)]
  const sockets = await Promise.all([eve, mine, lost].map(({ token }) => Socket.open(hub, token)))
  const [ofEve, ofMine, ofLost] = sockets.map(({ socket }) => socket)
  await withStore(hub, async (db) => {
    await revokeTokens(db, 'eve', new Date())
    const { user_id } = await db
      .selectFrom('acp_devices')
      .selectAll()
      .where('id', '=', lost.id)
      .executeTakeFirstOrThrow()
    await revokeDevice(db, user_id, lost.id, new Date())
  })
  expect(await ofEve!.closed).toEqual({ code: 4003 })
  expect(await ofLost!.closed).toEqual({ code: 4003 })
  expect((await Socket.open(hub, eve.token)).status).toBe(401)
  ofMine!.say('acp_ping', {})
  await ofMine!.next('acp_pong')
  const page = (await hub.ask('GET', paths.requests())).body as unknown as RequestPage
  expect(page.online.map(({ device }) => device)).toEqual([mine.id])
})

it('W102 a frame that is too large ends the socket, and the hub works on', async () => {
  const hub = await HubUnderTest.start()
  const { socket } = await Socket.open(hub, (await bound(hub)).token)
  socket.ws.send('x'.repeat(300_000))
  expect(await socket.closed).toEqual({ code: 1009 })
  expect((await hub.ask('GET', paths.healthz())).status).toBe(200)
})

it('W100 a stopping hub tells devices to come again, and the next one gives them what they had not confirmed', async () => {
  const hub = await HubUnderTest.start()
  const { token } = await bound(hub)
  const { socket } = await Socket.open(hub, token)
  const { request } = await ask(hub, { message: 'later' })
  await socket.next('acp_request')
  await hub.hub.stop()
  expect(await socket.closed).toEqual({ code: 1012 })
  const next = await HubUnderTest.on(hub.data, {}, hub.token)
  const { socket: again } = await Socket.open(next, token)
  expect(await again.next('acp_request')).toMatchObject({ request_id: request.id, message: 'later' })
  again.say('acp_reply', { request_id: request.id, result: 'done' })
  await ended(next, request.id, 'done')
})

it('W52 W100 a thousand sockets that are opened and left, with and without a token, do not keep a device out', async () => {
  const hub = await HubUnderTest.start()
  const laptop = await bound(hub)
  const left: WebSocket[] = []
  onTestFinished(() => {
    for (const one of left) one.terminate()
  })
  const url = `${hub.hub.url.replace(/^http/, 'ws')}${paths.deviceSocket()}`
  for (let round = 0; round < 20; round += 1) {
    const some = Array.from({ length: 50 }, (_, at) => {
      const one = new WebSocket(
        url,
        at % 2 === 0 ? {} : { headers: { authorization: `Bearer ${laptop.token}` } },
      )
      one.on('error', () => {})
      left.push(one)
      return new Promise<void>((resolve) =>
        one.on('open', resolve).on('unexpected-response', () => resolve()),
      )
    })
    await Promise.all(some)
  }
  const { socket, status } = await Socket.open(hub, laptop.token)
  expect(status).toBe(101)
  socket.say('acp_ping', {})
  await socket.next('acp_pong')
  expect(left.filter(({ readyState }) => readyState === WebSocket.OPEN)).toEqual([])
}, 60_000)

it('W103 a request that is malformed is refused, and names the field', async () => {
  const hub = await HubUnderTest.start()
  for (const body of [
    {},
    { message: '   ' },
    { message: 'x'.repeat(100_001) },
    { message: 'x', device: 'dev_' },
    { message: 'x', channel: 'a b' },
    { message: 'x', device: 'dev_unknown000' },
    { message: 'x', origin_device: 'dev_unknown000' },
  ])
    expect((await ask(hub, body)).status, JSON.stringify(body)).toBe(400)
})
