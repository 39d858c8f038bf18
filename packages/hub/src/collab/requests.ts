import { event } from '@farhand/protocol/events/event-names'
import { type DeviceRequest, type RequestState, requestDays } from '@farhand/protocol/schemas/requests'
import { Fault } from '@farhand/protocol/wire/faults'
import { type DeviceId, newId, RequestId, type RunId, type UserId } from '@farhand/protocol/wire/ids'
import type { EventLog } from '../log/event-log.ts'
import { storeBatch } from '../runs/store-batch.ts'
import { findRun } from '../store/runs.ts'
import type { Db } from '../store/tables.ts'
import { cloudBriefing } from './cloud-briefing.ts'
import type { DeviceLines } from './device-lines.ts'
import { offerIn } from './queue-offer.ts'
import { RequestEnds } from './request-ends.ts'
import { authorOf, endOf, keyOf, noteInLog, withdraw, wordsAbout } from './request-log.ts'
import {
  type AddressedRow,
  addressOfRow,
  asRequest,
  changeState,
  findRequest,
  insertRequest,
  noteWithdrawn,
  offeredBy,
  originsOf,
  type RequestRow,
  requestsForDevice,
  requestsIn,
  requestsOfRevoked,
  requestsOverdue,
  requestsOwing,
} from './request-rows.ts'
import { isFinal } from './request-states.ts'
import { SendWindow } from './send-window.ts'

export type RequestsParts = {
  db: Db
  log: EventLog
  lines: Pick<DeviceLines, 'send'>
  /** Has the keeper check a run that a sandbox is to answer. */
  look: (run: RunId) => void
  onError: (error: unknown) => void
  now?: () => Date
}

const pageLength = 10
const dayMs = 24 * 60 * 60 * 1000

/** Carries every request from state to state. Each step may be repeated: a hub that is killed between two goes on at its next start. */
export class Requests {
  readonly #parts: RequestsParts
  readonly #ends: RequestEnds
  readonly #window = new SendWindow()

  constructor(parts: RequestsParts) {
    this.#parts = parts
    const { log, onError } = parts
    this.#ends = new RequestEnds({ log, onError, look: (run, requests) => this.#lookForEnd(run, requests) })
  }

  /** Goes on with what an earlier hub has left. */
  async start(): Promise<void> {
    this.#ends.start()
    for (const row of await requestsIn(this.#parts.db, ['routed', 'sent', 'working']))
      if (row.state === 'routed') await this.settle(row.id).catch(this.#parts.onError)
      else this.#ends.watch(row.run_id, row.id)
    await this.expire()
  }

  stop(): void {
    this.#ends.stop()
  }

  now(): Date {
    return this.#parts.now?.() ?? new Date()
  }

  /** The request of this user; others are answered as if there were none. */
  async ofUser(user: UserId, id: string | undefined): Promise<AddressedRow> {
    const parsed = RequestId.safeParse(id)
    const row = parsed.success ? await findRequest(this.#parts.db, parsed.data) : null
    if (!row || row.user_id !== user) throw new Fault('acp.request-unknown', 'there is no such request')
    return row
  }

  /** Puts a routed request into the log of its run, and gives it to where it was routed. */
  async settle(id: RequestId): Promise<DeviceRequest> {
    const { db } = this.#parts
    const row = (await findRequest(db, id))!
    if (row.state !== 'routed') return asRequest(row)
    try {
      const message_event = await this.#storeMessage(row)
      if (row.notice !== null) await noteInLog(this.#parts.log, row, 'notice', row.notice)
      const to = { device: 'sent', cloud: 'working', queue: 'queued' }[row.decided] as RequestState
      if (await changeState(db, row, to, stepReasons[row.decided], { message_event }, this.now()))
        await this.#begun({ ...row, state: to, message_event })
    } catch (error) {
      if (!(error instanceof Fault) || error.remedy === 'retry') throw error
      // Its run was closed meanwhile, for example: the user sees why nothing happens.
      await changeState(db, row, 'failed', error.message, {}, this.now())
    }
    return asRequest((await findRequest(db, id))!)
  }

  async #storeMessage(row: RequestRow): Promise<number> {
    const { db, log } = this.#parts
    const run = (await findRun(db, { run: row.run_id }))!
    const isBriefed = row.decided === 'cloud' && row.notice !== null
    const content = isBriefed ? cloudBriefing(row.message) : row.message
    const stored = await storeBatch({ db, log }, run, {
      by: authorOf(row),
      notifications: [event('user_message', { content })],
      key: keyOf(row, 'message', content),
    })
    return stored.ids[0]!
  }

  async #begun(row: AddressedRow): Promise<void> {
    if (row.decided === 'cloud') this.#parts.look(row.run_id)
    if (row.state === 'sent') this.sendTo(row)
    if (row.state !== 'queued') this.#ends.watch(row.run_id, row.id)
  }

  /** Gives a request to its device; false: that is not connected, or has to confirm others first, and gets it afterwards. */
  sendTo(row: AddressedRow): boolean {
    const device = row.device_id!
    const { id, channel, user_id, message } = row
    const frame = { request_id: id, message, channel, user_id, run: addressOfRow(row) }
    const bytes = Buffer.byteLength(JSON.stringify(frame))
    if (!this.#window.hasRoom(device, bytes)) return false
    if (!this.#parts.lines.send(device, 'acp_request', frame)) return false
    this.#window.add(device, id, bytes)
    return true
  }

  /** Sends again what the device has not confirmed, and gives it what waits for it, as much as it may have at once. */
  async came(user: UserId, device: DeviceId): Promise<void> {
    this.#window.reset(device)
    await this.#giveNext(user, device)
  }

  /** The device has confirmed this one, or need not: there may be room for the next. */
  async confirmed(row: RequestRow, device: DeviceId): Promise<void> {
    if (this.#window.remove(device, row.id)) await this.#giveNext(row.user_id, device)
  }

  async #giveNext(user: UserId, device: DeviceId): Promise<void> {
    for (let isAny = true; isAny; ) {
      isAny = false
      const page = { except: this.#window.of(device), limit: pageLength }
      for (const row of await requestsForDevice(this.#parts.db, user, device, page)) {
        if (!this.#window.hasRoom(device, mostFrameBytes(row))) return
        const given = await this.giveTo(row, device)
        if (given === 'not-sent') return
        isAny = true
      }
    }
  }

  /** Gives a waiting request to a device that has connected; of several devices that connect at once, one gets it. */
  async giveTo(row: AddressedRow, device: DeviceId): Promise<'sent' | 'not-sent' | 'of-another'> {
    if (originsOf(row).includes(device)) return 'of-another'
    const send = (sent: AddressedRow) => (this.sendTo(sent) ? 'sent' : 'not-sent')
    if (row.state === 'queued') {
      const reason = 'the device is back'
      const isOurs = await changeState(this.#parts.db, row, 'sent', reason, { device_id: device }, this.now())
      this.#ends.watch(row.run_id, row.id)
      if (!isOurs) {
        // Given to this device already, perhaps over a socket that is gone by now: a second time does no harm.
        const now = await findRequest(this.#parts.db, row.id)
        return now?.state === 'sent' && now.device_id === device ? send(now) : 'of-another'
      }
    }
    return send({ ...row, state: 'sent', device_id: device })
  }

  /** Ends a request in this state, unless it has ended. */
  async end(
    row: RequestRow,
    state: RequestState,
    reason: string,
    { takesBack = state === 'canceled' || state === 'expired' } = {},
  ): Promise<boolean> {
    // One that was only offered has no message, and its run is the one in which it was offered.
    const isOwing = takesBack && row.state !== 'offered'
    const changes = isOwing ? { owes_withdrawal: 1 as const } : {}
    const isEnded = await changeState(this.#parts.db, row, state, reason, changes, this.now())
    if (!isEnded) return false
    this.#ends.forget(row.run_id, row.id)
    // A device whose runner has answered in the log need not answer again.
    if (row.device_id !== null && (state === 'done' || state === 'failed'))
      this.#parts.lines.send(row.device_id, 'acp_ack', { request_id: row.id })
    if (row.device_id !== null) await this.confirmed(row, row.device_id).catch(this.#parts.onError)
    return true
  }

  async cancel(user: UserId, id: string | undefined): Promise<DeviceRequest> {
    const row = await this.ofUser(user, id)
    if (row.state === 'canceled') {
      await this.#withdrawOwing([row])
      return asRequest(row)
    }
    if (row.state === 'routed') {
      await this.settle(row.id)
      return await this.cancel(user, id)
    }
    if (isFinal(row.state)) throw settled(row)
    if (!(await this.end(row, 'canceled', 'you canceled it'))) return await this.cancel(user, id)
    if (row.state !== 'offered') await this.#withdraw(row)
    if (row.device_id !== null)
      this.#parts.lines.send(row.device_id, 'acp_cancel', { request_id: row.id, reason: 'canceled' })
    return asRequest(await this.ofUser(user, id))
  }

  /** Ends the requests that have waited too long, or whose device is revoked, and says so in their runs. Must be called from time to time. */
  async expire(): Promise<void> {
    const { db } = this.#parts
    for (const row of await requestsOverdue(db, this.now()))
      await this.end(row, 'expired', 'no device came for it in time')
    for (const row of await requestsOfRevoked(db))
      await this.end(row, 'failed', 'its device was revoked', { takesBack: true })
    await this.#withdrawOwing(await requestsOwing(db))
  }

  async #withdrawOwing(rows: readonly RequestRow[]): Promise<void> {
    for (const row of rows)
      if (row.owes_withdrawal === 1) await this.#withdraw(row).catch(this.#parts.onError)
  }

  /** Takes its message back from the log. It may be repeated until it is noted as done. */
  async #withdraw(row: RequestRow): Promise<void> {
    const { db, log } = this.#parts
    await withdraw(log, row)
    const { state } = (await findRequest(db, row.id)) ?? row
    if (state === 'expired') await noteInLog(log, row, 'expired', expiredNote)
    await noteWithdrawn(db, row.id)
  }

  /** Until when a request that is made now waits for a device. */
  deadline(): string {
    return new Date(this.now().getTime() + requestDays * dayMs).toISOString()
  }

  async #lookForEnd(run: RunId, requests: readonly RequestId[]): Promise<void> {
    const { db, log } = this.#parts
    const { view } = await log.head(run)
    for (const id of requests) {
      const row = await findRequest(db, id)
      if (!row || isFinal(row.state) || row.message_event === null) {
        this.#ends.forget(run, id)
        continue
      }
      const end = endOf(view, row.message_event)
      if (!end) continue
      // Before the end: a hub that is killed in between offers it when it looks again.
      if (row.decided === 'cloud' && end.state === 'done') await this.#offer(row)
      await this.end(row, end.state, end.reason)
    }
  }

  /** Asks the user whether what the agent in the sandbox left over is to be queued. */
  async #offer(row: AddressedRow): Promise<void> {
    const { db, log } = this.#parts
    const offered = offerIn(await wordsAbout(log, row.run_id, row.message_event!))
    if (offered === null) return
    const id = newId(RequestId, 'req')
    const { user_id, run_id, channel, origin_devices } = row
    const isNew = await insertRequest(db, {
      ...{ id, user_id, run_id, channel, origin_devices, message: offered },
      message_digest: keyOf(row, 'offer', offered).body,
      message_event: null,
      state: 'offered',
      decided: 'queue',
      device_id: null,
      needs_device: 1,
      part_of: row.id,
      notice: null,
      created_at: this.now().toISOString(),
      expires_at: this.deadline(),
      reason: 'the agent in the sandbox left it over; it waits for your yes',
    })
    // A hub that was killed has perhaps offered it already: what it stored is what the user says yes to.
    const text = isNew ? offered : ((await offeredBy(db, row.id)) ?? offered)
    await noteInLog(
      log,
      row,
      'offer',
      `Queue this for your computer? Say yes or no under Requests, or with the command: requests accept. It would do: ${text}`,
    )
  }
}

/** Its frame has no more: the message, and some addresses. */
const mostFrameBytes = (row: AddressedRow) => Buffer.byteLength(JSON.stringify(row.message)) + 2_000

const expiredNote =
  'This request has expired: your computer was not on in time. Send it again if you still need it.'

const stepReasons = {
  device: 'given to the device, which has not confirmed it yet',
  cloud: 'a sandbox works on it',
  queue: 'it waits for a device',
}

export const settled = ({ state }: Pick<RequestRow, 'state'>) =>
  new Fault('acp.request-settled', `this request is ${state} already`)
