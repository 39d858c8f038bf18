import { sleep } from '@farhand/kit/sleep'
import { FrameToDevice, heartbeatMs, mostMissedBeats } from '@farhand/protocol/schemas/device-frames'
import type { RequestId } from '@farhand/protocol/wire/ids'
import { paths } from '@farhand/protocol/wire/routes'
import { WebSocket } from 'ws'

export type ConnectionParts = {
  url: string
  /** The token of this device; null if it is not bound any more. */
  token: () => Promise<string | null>
  /** Called for each frame; ends of requests come as `acp_ack` and `acp_cancel`. */
  heard: (frame: FrameToDevice) => void
  /** The hub hears this device from now on: what it has not confirmed is sent again. */
  connected: () => void
  log: (line: string) => void
  signal: AbortSignal
}

const mostBytes = 4 * 1024 * 1024
const handshakeMs = 15_000
/** A hub that asks for signs of life and falls silent has gone without saying so. */
const silentMs = heartbeatMs * (mostMissedBeats + 0.5)
const backoff = { firstMs: 500, maxMs: 60_000 }
/** Another process of this device has connected: two must not replace each other all the time. */
const replacedMs = 60_000
const replaced = 4001
const mostRefusals = 3

/** How long to wait after so many failures: anything up to a time that doubles, so that a hub that is back is not run over. */
export const fullJitterMs = (failures: number, random = Math.random): number =>
  random() * Math.min(backoff.maxMs, backoff.firstMs * 2 ** Math.min(failures, 20))

/** The line of this device to a hub: it connects again until it is told to stop. */
export class DeviceConnection {
  readonly #parts: ConnectionParts
  #socket: WebSocket | null = null
  #seq = 0

  constructor(parts: ConnectionParts) {
    this.#parts = parts
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN
  }

  /** Resolves when the signal aborts, or this computer is not a device of the hub any more. */
  async run(): Promise<'stopped' | 'not-bound'> {
    const { signal, token, log } = this.#parts
    let refusals = 0
    for (let failures = 0; !signal.aborted; ) {
      const current = await token()
      if (current === null) return 'not-bound'
      const end = await this.#once(current)
      refusals = end.was === 'refused' ? refusals + 1 : 0
      // Once may be a token that was renewed at this moment.
      if (refusals >= mostRefusals) return 'not-bound'
      if (signal.aborted) break
      failures = end.was === 'open' ? 1 : failures + 1
      if (end.code === replaced) log('another process of this device has connected to the hub')
      const waitMs = end.code === replaced ? replacedMs : fullJitterMs(failures)
      await sleep(waitMs, { signal }).catch(() => {})
    }
    return 'stopped'
  }

  /** False if the hub cannot be told now. */
  say(
    type: 'acp_ack' | 'acp_reply' | 'acp_pong',
    data: { request_id?: RequestId } & Record<string, unknown>,
  ): boolean {
    if (!this.isOpen) return false
    this.#seq += 1
    this.#socket!.send(JSON.stringify({ type, seq: this.#seq, data }))
    return true
  }

  #once(token: string): Promise<{ was: 'open' | 'never-open' | 'refused'; code: number }> {
    const { url, signal, connected } = this.#parts
    const socket = new WebSocket(`${url.replace(/^http/, 'ws').replace(/\/+$/, '')}${paths.deviceSocket()}`, {
      headers: { authorization: `Bearer ${token}` },
      handshakeTimeout: handshakeMs,
      maxPayload: mostBytes,
      perMessageDeflate: false,
      // A token must not be sent to another server.
      followRedirects: false,
    })
    this.#socket = socket
    this.#seq = 0
    let was: 'open' | 'never-open' | 'refused' = 'never-open'
    let dog: NodeJS.Timeout | undefined
    const alive = () => {
      clearTimeout(dog)
      dog = setTimeout(() => socket.terminate(), silentMs)
      dog.unref()
    }
    const stop = () => socket.close(1000)
    signal.addEventListener('abort', stop, { once: true })
    return new Promise((resolve) => {
      socket.on('open', () => {
        was = 'open'
        alive()
        connected()
      })
      socket.on('ping', alive)
      socket.on('message', (data) => {
        alive()
        this.#take(String(data))
      })
      socket.on('unexpected-response', (_, answer) => {
        if (answer.statusCode === 401 || answer.statusCode === 403) was = 'refused'
        socket.terminate()
      })
      // It is followed by `close`.
      socket.on('error', () => {})
      socket.on('close', (code) => {
        clearTimeout(dog)
        signal.removeEventListener('abort', stop)
        resolve({ was, code })
      })
    })
  }

  #take(text: string): void {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      return
    }
    // A newer hub may say more than this version knows.
    const { success, data } = FrameToDevice.safeParse(value)
    if (!success) return
    if (data.type === 'acp_ping') this.say('acp_pong', {})
    this.#parts.heard(data)
  }
}
