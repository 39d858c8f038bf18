import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FrameToDevice } from '@farhand/protocol/schemas/device-frames'
import type { DeviceRequest, NewRequest } from '@farhand/protocol/schemas/requests'
import type { StoredEvent } from '@farhand/protocol/wire/event'
import type { DeviceId, RequestId, RunId, UserId } from '@farhand/protocol/wire/ids'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { bindDevice } from '../access/bound-devices.ts'
import { Secret } from '../access/secret.ts'
import { addUser } from '../access/users.ts'
import { HubConfig } from '../config/hub-config.ts'
import type { EventLog } from '../log/event-log.ts'
import { decodeLine } from '../log/stored-line.ts'
import { openRequests } from '../open-requests.ts'
import { openStores } from '../open-stores.ts'
import { beginGeneration } from '../runs/begin-generation.ts'
import type { OpenLine, Wire } from './device-lines.ts'
import { acceptRequest, askRequest } from './new-request.ts'

const secret = new Secret(Buffer.alloc(32))
const logger = pino({ level: 'silent' })
const cloud = {
  agents: [{ id: 'builtin', name: 'Builtin', state: 'usable' as const, missing: [], install: null }],
  sandboxes: [{ kind: 'process', isolates: false, unusable: null }],
  usual: 'process',
}
export const noCloud = { agents: [], sandboxes: [], usual: 'none' }

/** Real stores and logs, with the part of the hub that carries requests, which can be killed and opened again on them. */
export class RequestsUnderTest {
  readonly user: UserId
  readonly #stores: Awaited<ReturnType<typeof openStores>>
  /** Called before each step that writes or sends: it may throw as if the hub were killed there. */
  step: () => void = () => {}
  here: typeof cloud | typeof noCloud = cloud
  now = Date.parse('2026-05-01T10:00:00.000Z')
  #open!: ReturnType<typeof openRequests>
  #undo: (() => unknown)[] = []
  /** Of the hub that runs now: what one that was killed had still to do does not happen. */
  #life = { isOver: false }

  private constructor(stores: Awaited<ReturnType<typeof openStores>>, user: UserId) {
    this.#stores = stores
    this.user = user
  }

  static async start(): Promise<RequestsUnderTest> {
    const data = await mkdtemp(join(tmpdir(), 'farhand-requests-'))
    const undo: (() => unknown)[] = [() => rm(data, { recursive: true, force: true })]
    onTestFinished(async () => {
      for (const step of undo.reverse()) await step()
    })
    const stores = await openStores(HubConfig.parse({ port: 0, data }), logger, undo)
    const { user } = await addUser(stores.db, { name: 'ada', role: 'owner' }, new Date())
    const under = new RequestsUnderTest(stores, user.id)
    undo.push(() => under.kill())
    await under.open()
    return under
  }

  get collab() {
    return this.#open.collab
  }

  get db() {
    return this.#stores.db
  }

  async open(): Promise<void> {
    const { log } = this.#stores
    const life = { isOver: false }
    this.#life = life
    const step = () => {
      if (life.isOver) throw new Error('killed')
      this.step()
    }
    const guarded: EventLog = new Proxy(log, {
      get: (target, name: keyof EventLog) => {
        if (name !== 'append') return target[name].bind(target)
        const append: EventLog['append'] = async (run, propose) => {
          step()
          const appended = await target.append(run, propose)
          step()
          return appended
        }
        return append
      },
    })
    this.#undo = []
    const parts = {
      ...{ ...this.#stores, log: guarded, logger },
      look: () => {},
      agentsHere: async () => this.here,
      refusal: async () => null,
      runChanges: { touched: () => {} } as never,
      now: () => {
        step()
        return new Date(this.now)
      },
    }
    this.#open = openRequests(parts, this.#undo)
    await this.#open.start()
  }

  /** Forgets all that is only in memory. */
  kill(): void {
    this.#life.isOver = true
    for (const step of this.#undo.splice(0)) step()
  }

  ask(
    body: Omit<NewRequest, 'message'> & { message?: string },
    key?: string,
    device: DeviceId | null = null,
  ) {
    return askRequest(this.collab, { user: this.user, device }, { message: 'do it', ...body }, key)
  }

  accept(id: RequestId): Promise<DeviceRequest> {
    return acceptRequest(this.collab, this.user, id)
  }

  async request(id: RequestId): Promise<DeviceRequest> {
    const { asRequest } = await import('./request-rows.ts')
    return asRequest(await this.collab.requests.ofUser(this.user, id))
  }

  async events(run: RunId): Promise<StoredEvent[]> {
    const stretch = await this.#stores.log.read(run, 0, 10_000_000)
    const lines = stretch?.bytes.toString().split('\n').slice(0, -1) ?? []
    return lines.map((line) => decodeLine(line)!)
  }

  /** What the runner of a run would write: it answers the message and says these words. */
  async work(run: RunId, message: number, text: string): Promise<void> {
    const { log, secret } = this.#stores
    const { generation } = await beginGeneration(log, secret, run, {}, undefined)
    const said = (method: string, params: object) => ({
      jsonrpc: '2.0' as const,
      method,
      params: { ...params },
    })
    await log.append(run, () => ({
      by: { kind: 'runner', generation },
      notifications: [
        said('_posthog/ack', { for: '_posthog/user_message', id: message }),
        said('agent_message_chunk', { text }),
        said('_posthog/turn_complete', { messageId: message, stopReason: 'end_turn' }),
      ],
    }))
  }

  async messageOf(run: RunId): Promise<number> {
    return (await this.events(run)).find(
      ({ notification }) => notification.method === '_posthog/user_message',
    )!.id
  }

  async device(name: string): Promise<TestDevice> {
    const { device_id } = await bindDevice({ db: this.db, secret }, { user: this.user, name }, new Date())
    return new TestDevice(this, device_id)
  }

  /** A second process of a device. */
  again({ id }: TestDevice): TestDevice {
    return new TestDevice(this, id)
  }
}

/** A device that answers without a runner, and keeps what it must not lose. */
export class TestDevice {
  readonly id: DeviceId
  readonly #hub: RequestsUnderTest
  readonly frames: FrameToDevice[] = []
  closed: { code: number } | null = null
  pings = 0
  /** What survives when its process is killed. */
  readonly noted = new Map<RequestId, { isReplied: boolean }>()
  /** How often it has done each request. */
  readonly done = new Map<RequestId, number>()
  /** Whether a frame on the way is lost, in either direction. */
  isLost: () => boolean = () => false
  answers = true
  #line: OpenLine | null = null
  #seq = 0

  constructor(hub: RequestsUnderTest, id: DeviceId) {
    this.#hub = hub
    this.id = id
  }

  connect(): void {
    this.disconnect()
    this.closed = null
    const wire: Wire = {
      send: (text) => {
        if (this.isLost()) return
        const frame = JSON.parse(text) as FrameToDevice
        this.frames.push(frame)
        this.#take(frame)
      },
      ping: () => {
        this.pings += 1
      },
      close: (code) => {
        this.closed = { code }
      },
      destroy: () => {
        this.closed = { code: 1006 }
      },
      waiting: () => 0,
    }
    this.#line = this.#hub.collab.lines.open({ user: this.#hub.user, device: this.id }, wire)
    for (const [request_id, { isReplied }] of this.noted) if (!isReplied) this.#reply(request_id)
  }

  disconnect(): void {
    this.#line?.gone()
    this.#line = null
  }

  alive(): void {
    this.#line?.alive()
  }

  say(type: string, data: object): void {
    this.#seq += 1
    this.raw(JSON.stringify({ type, seq: this.#seq, data }))
  }

  raw(text: string | null): void {
    if (!this.isLost()) this.#line?.heard(text)
  }

  requests(): RequestId[] {
    return this.frames.flatMap((frame) => (frame.type === 'acp_request' ? [frame.data.request_id] : []))
  }

  #take(frame: FrameToDevice): void {
    if (!this.answers) return
    if (frame.type === 'acp_ack') {
      const noted = this.noted.get(frame.data.request_id)
      if (noted) noted.isReplied = true
    }
    if (frame.type !== 'acp_request') return
    const { request_id } = frame.data
    if (!this.noted.has(request_id)) {
      this.noted.set(request_id, { isReplied: false })
      this.done.set(request_id, (this.done.get(request_id) ?? 0) + 1)
    }
    this.say('acp_ack', { request_id })
    this.#reply(request_id)
  }

  #reply(request_id: RequestId): void {
    this.say('acp_reply', { request_id, result: `did ${request_id}` })
  }
}

/** Waits for what other parts do in the background. */
export async function until(is: () => Promise<boolean> | boolean): Promise<void> {
  let isFinished = false
  onTestFinished(() => {
    isFinished = true
  })
  while (!isFinished) {
    if (await is()) return
    await new Promise(setImmediate)
  }
  throw new Error('the test ended first')
}

export const methods = async (hub: RequestsUnderTest, run: RunId) =>
  (await hub.events(run)).map(({ notification }) => notification.method)

export async function pageOf(hub: RequestsUnderTest) {
  const { listRequests } = await import('./request-rows.ts')
  return await listRequests(hub.db, hub.user, { limit: 50 })
}
