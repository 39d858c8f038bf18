import { event } from '@farhand/protocol/events/event-names'
import type { FrameFromDevice, RequestProgress, RequestReply } from '@farhand/protocol/schemas/device-frames'
import { Fault } from '@farhand/protocol/wire/faults'
import type { RequestId, RunId } from '@farhand/protocol/wire/ids'
import type { EventLog } from '../log/event-log.ts'
import { admitted } from '../runs/inbox.ts'
import type { Db } from '../store/tables.ts'
import type { DeviceLines, LineHolder } from './device-lines.ts'
import { isUntouched, storeReply } from './request-log.ts'
import { type AddressedRow, changeState } from './request-rows.ts'
import { isFinal, isForDevice } from './request-states.ts'
import type { Requests } from './requests.ts'

export type DeviceAnswersParts = {
  db: Db
  log: EventLog
  requests: Requests
  lines: Pick<DeviceLines, 'send'>
  /** Begins a generation of a run, for a device that answers without a runner; the same key gives the same one. */
  begin: (run: RunId, key: string) => Promise<number>
}

/** What devices say about the requests that they were given. All of it may come twice. */
export class DeviceAnswers {
  readonly #parts: DeviceAnswersParts

  constructor(parts: DeviceAnswersParts) {
    this.#parts = parts
  }

  /** Sends again what the device has not confirmed, and gives it what waits for it. */
  async came({ user, device }: LineHolder): Promise<void> {
    await this.#parts.requests.came(user, device)
  }

  async frame(holder: LineHolder, frame: FrameFromDevice): Promise<void> {
    if (frame.type === 'acp_ping' || frame.type === 'acp_pong') return
    const row = await this.#rowOf(holder, frame.data.request_id)
    switch (frame.type) {
      case 'acp_ack':
        return await this.#acked(holder, row)
      case 'acp_progress':
        return await this.#progressed(holder, row, frame.data)
      case 'acp_reply':
        return await this.#replied(holder, row, frame.data)
    }
  }

  /** What another device has is answered like what does not exist. */
  async #rowOf({ user, device }: LineHolder, id: RequestId): Promise<AddressedRow> {
    const row = await this.#parts.requests.ofUser(user, id)
    if (row.device_id !== device) throw new Fault('acp.request-unknown', 'there is no such request')
    return row
  }

  async #acked(holder: LineHolder, row: AddressedRow): Promise<void> {
    if (row.state === 'sent') {
      const { db, requests } = this.#parts
      const isNoted = await changeState(db, row, 'working', 'the device has confirmed it', {}, requests.now())
      if (!isNoted) return await this.#acked(holder, await this.#rowOf(holder, row.id))
    }
    if (row.state === 'canceled' || row.state === 'expired')
      this.#parts.lines.send(holder.device, 'acp_cancel', { request_id: row.id, reason: row.state })
    await this.#parts.requests.confirmed(row, holder.device)
  }

  async #progressed({ device }: LineHolder, row: AddressedRow, progress: RequestProgress): Promise<void> {
    if (!isForDevice(row.state)) return
    const { log } = this.#parts
    const message = progressInWords(progress)
    if (message === '') return
    // A runner writes into the log by itself.
    await log.append(row.run_id, (head) =>
      admitted(
        {
          by: { kind: 'device', id: device },
          notifications: isUntouched(head.view, row.message_event!)
            ? [event('console', { level: 'info', message })]
            : [],
        },
        head,
      ),
    )
  }

  async #replied({ device }: LineHolder, row: AddressedRow, reply: RequestReply): Promise<void> {
    const { log, requests, lines, begin } = this.#parts
    if (isForDevice(row.state)) {
      const { view } = await log.head(row.run_id)
      if (isUntouched(view, row.message_event!) && view.status !== 'closed')
        await storeReply(log, row, await begin(row.run_id, `request/${row.id}`), reply)
      const [state, reason] =
        reply.error === undefined
          ? (['done', 'the device has answered'] as const)
          : (['failed', 'the device could not do it'] as const)
      // The log of its run may have ended it just before.
      if (!(await requests.end(row, state, reason))) {
        const now = await requests.ofUser(row.user_id, row.id)
        if (!isFinal(now.state)) return await this.#replied({ user: row.user_id, device }, now, reply)
      }
    }
    lines.send(device, 'acp_ack', { request_id: row.id })
  }
}

function progressInWords({ text, phase, completed, total, current }: RequestProgress): string {
  const count =
    completed === undefined ? undefined : total === undefined ? `${completed}` : `${completed} of ${total}`
  return [phase, count, current, text].filter((word) => word !== undefined && word !== '').join(': ')
}
