import {
  FrameFromDevice,
  type FrameToDevice,
  frameLimits,
  heartbeatMs,
  mostMissedBeats,
} from '@farhand/protocol/schemas/device-frames'
import { describeIssue } from '@farhand/protocol/text/describe-issue'
import { Fault } from '@farhand/protocol/wire/faults'
import type { DeviceId, UserId } from '@farhand/protocol/wire/ids'
import { FrameBudget } from './frame-budget.ts'
import type { Presence } from './presence.ts'

/** The socket of a device, as this room needs it. */
export type Wire = {
  send(text: string): void
  ping(): void
  close(code: number, reason: string): void
  destroy(): void
  /** Bytes that the device has not taken yet. */
  waiting(): number
}

export type LineHolder = { user: UserId; device: DeviceId }

/** What the socket reports. */
export type OpenLine = {
  /** A message; null if it was no text. */
  heard(text: string | null): void
  alive(): void
  gone(): void
  /** Closes it, as its token is not valid any more or the hub is stopping. */
  end(code: number, reason: string): void
}

type Line = LineHolder & {
  wire: Wire
  seq: number
  budget: FrameBudget
  malformed: number
  isAlive: boolean
  missed: number
  ticks: number
  /** Frames are handled one after the other. */
  working: Promise<void>
  isOpen: boolean
}

type FrameData<Type extends FrameToDevice['type']> = Extract<FrameToDevice, { type: Type }>['data']

export type DeviceLinesParts = {
  presence: Presence
  /** A device is connected; what it has not confirmed is sent again. */
  came: (holder: LineHolder) => Promise<void>
  frame: (holder: LineHolder, frame: FrameFromDevice) => Promise<void>
  onError: (error: unknown) => void
  nowMs?: () => number
}

/** `tick` is called so often in each period of the heartbeat: the pings of many devices are not sent at once. */
const ticksPerBeat = 6
export const tickMs = heartbeatMs / ticksPerBeat
const mostPerUser = 100
const mostWaiting = 4 * 1024 * 1024

/** Codes of RFC 6455 with which the hub closes a socket. */
export const closeCodes = {
  replaced: 4001,
  revoked: 4003,
  stopping: 1012,
  tooFast: 1008,
  malformed: 1008,
} as const

/** The open sockets of devices: one for each device, the newest. */
export class DeviceLines {
  readonly #parts: DeviceLinesParts
  readonly #nowMs: () => number
  readonly #lines = new Map<DeviceId, Line>()

  constructor(parts: DeviceLinesParts) {
    this.#parts = parts
    this.#nowMs = parts.nowMs ?? (() => performance.now())
  }

  get count(): number {
    return this.#lines.size
  }

  /** Throws if this user has too many devices connected already. */
  mayOpen({ user, device }: LineHolder): void {
    if (this.#lines.has(device) || this.#parts.presence.online(user).length < mostPerUser) return
    throw new Fault('hub.busy', `you have ${mostPerUser} devices connected, and no more are taken`)
  }

  /** Takes the socket of a device in place of the one before. */
  open(holder: LineHolder, wire: Wire): OpenLine {
    const before = this.#lines.get(holder.device)
    if (before) this.#end(before, closeCodes.replaced, 'this device has connected again')
    const line: Line = {
      ...holder,
      wire,
      seq: 0,
      budget: new FrameBudget(this.#nowMs()),
      malformed: 0,
      isAlive: true,
      missed: 0,
      ticks: Math.floor(Math.random() * ticksPerBeat),
      working: Promise.resolve(),
      isOpen: true,
    }
    this.#lines.set(holder.device, line)
    this.#parts.presence.came(holder.user, holder.device, new Date())
    this.#work(line, () => this.#parts.came(holder))
    return {
      heard: (text) => this.#heard(line, text),
      alive: () => {
        line.isAlive = true
      },
      gone: () => this.#gone(line),
      end: (code, reason) => this.#end(line, code, reason),
    }
  }

  /** False if the device is not connected, or does not take what it was sent before. */
  send<Type extends FrameToDevice['type']>(device: DeviceId, type: Type, data: FrameData<Type>): boolean {
    const line = this.#lines.get(device)
    return line !== undefined && this.#send(line, type, data)
  }

  /** Must be called every `tickMs`: asks for signs of life, and ends the sockets that give none. */
  tick(): void {
    for (const line of [...this.#lines.values()]) {
      line.ticks += 1
      if (line.ticks < ticksPerBeat) continue
      line.ticks = 0
      line.missed = line.isAlive ? 0 : line.missed + 1
      line.isAlive = false
      if (line.missed >= mostMissedBeats) {
        this.#gone(line)
        line.wire.destroy()
      } else {
        // Libraries answer the first one without telling the program, browsers tell their page of the second only.
        line.wire.ping()
        this.#send(line, 'acp_ping', {})
      }
    }
  }

  #heard(line: Line, text: string | null): void {
    line.isAlive = true
    if (!line.isOpen) return
    if (!line.budget.take(this.#nowMs())) {
      this.#refuse(line, 'acp.too-fast', `at most ${frameLimits.perSecond} frames a second are taken`)
      this.#end(line, closeCodes.tooFast, 'too many frames')
      return
    }
    const read = readFrame(text)
    if ('wrong' in read) {
      line.malformed += 1
      this.#refuse(line, 'request.malformed', read.wrong)
      if (line.malformed >= frameLimits.malformed)
        this.#end(line, closeCodes.malformed, 'too many malformed frames')
      return
    }
    const { frame } = read
    if (frame.type === 'acp_pong') return
    if (frame.type === 'acp_ping') {
      this.#send(line, 'acp_pong', {})
      return
    }
    this.#work(line, async () => {
      try {
        await this.#parts.frame(line, frame)
      } catch (error) {
        if (!(error instanceof Fault)) throw error
        this.#refuse(line, error.code, error.message, frame.data.request_id)
      }
    })
  }

  #work(line: Line, work: () => Promise<void>): void {
    line.working = line.working
      .then(async () => {
        if (line.isOpen) await work()
      })
      .catch((error: unknown) => {
        this.#parts.onError(error)
        // What was not done is sent again when the device connects again.
        this.#end(line, 1011, 'something went wrong in the hub; connect again')
      })
  }

  #refuse(line: Line, code: string, message: string, request?: string): void {
    this.#send(line, 'acp_error', { code, message, ...(request !== undefined && { request_id: request }) })
  }

  #send<Type extends FrameToDevice['type']>(line: Line, type: Type, data: FrameData<Type>): boolean {
    if (!line.isOpen) return false
    if (line.wire.waiting() > mostWaiting) {
      this.#gone(line)
      line.wire.destroy()
      return false
    }
    line.seq += 1
    line.wire.send(JSON.stringify({ type, seq: line.seq, data }))
    return true
  }

  #end(line: Line, code: number, reason: string): void {
    this.#gone(line)
    line.wire.close(code, reason)
  }

  #gone(line: Line): void {
    if (!line.isOpen) return
    line.isOpen = false
    // A newer socket of this device stays.
    if (this.#lines.get(line.device) !== line) return
    this.#lines.delete(line.device)
    this.#parts.presence.left(line.user, line.device)
  }
}

function readFrame(text: string | null): { frame: FrameFromDevice } | { wrong: string } {
  if (text === null) return { wrong: 'a frame is text with JSON' }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { wrong: 'this is not JSON' }
  }
  const parsed = FrameFromDevice.safeParse(value)
  if (parsed.success) return { frame: parsed.data }
  const issue = parsed.error.issues[0]!
  return { wrong: `${issue.path.join('.') || 'frame'}: ${describeIssue(issue)}`.slice(0, 300) }
}
