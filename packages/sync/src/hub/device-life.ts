import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { post } from '@farhand/client/post/post'
import type { CallOptions } from '@farhand/client/requests/call'
import type { Hub } from '@farhand/client/requests/hub'
import { Refusal } from '@farhand/client/requests/refusal'
import { event } from '@farhand/protocol/events/event-names'
import type { DeviceId } from '@farhand/protocol/wire/ids'
import type { RunAddress } from '@farhand/protocol/wire/routes'

/** `isOver`: it ended with nothing under way. `told` is the name it gave to the run. */
type Noted = { device: string; life: number; isOver: boolean; told: string | null }

type Being = {
  device: DeviceId
  /** The name of the device that users see. */
  name: string
  /** The folder for what the device remembers of the run; the number of its life is stored there too. */
  memory: string
}

/**
 * One life of a device in a run: one process that writes for it, from start to stop. What an earlier life sent may still be
 * on its way; the hub refuses it once it knows of this one (W34). The process that begins one holds the lock of the folder: there is one at a time.
 */
export class DeviceLife {
  number: number
  /** Writing requests that the hub has not answered yet. */
  underWay = 0
  readonly #being: Being
  readonly #file: string
  #mayBeLate: boolean
  #told: string | null

  constructor(being: Being, nowMs: number) {
    this.#being = being
    this.#file = path.join(being.memory, 'life')
    const before = read(this.#file)
    // A counter alone would restart if a power loss took the file; a clock alone may be set back.
    this.number = Math.max(nowMs, (before?.life ?? 0) + 1)
    this.#mayBeLate = before?.isOver !== true
    this.#told = before?.device === being.device ? before.told : null
    mkdirSync(being.memory, { recursive: true, mode: 0o700 })
    this.#note(false)
  }

  /**
   * Tells the run that this life has begun, unless that is no news. When it returns, nothing that an earlier one sent
   * can arrive any more: only what the log says after that may be relied on.
   */
  async begin(hub: Hub, at: RunAddress, options: CallOptions & { signal: AbortSignal }): Promise<void> {
    const { name, device } = this.#being
    if (!this.#mayBeLate && this.#told === name) return
    const start = event('device_start', { name })
    for (;;) {
      try {
        await post({ ...hub, deviceId: device, deviceLife: this.number }, at, start, options)
        break
      } catch (error) {
        const refusal = error instanceof Refusal ? error : (error as Error).cause
        if (!(refusal instanceof Refusal)) throw error
        // Nothing can arrive in a closed run; when it is opened again, a new life begins.
        if (refusal.code === 'run.closed') return
        const { current } = refusal.details
        if (refusal.code !== 'device.fenced' || current === undefined) throw error
        // The folder is locked, so this life is the newest, even if the number of the one before was lost.
        this.number = current + 1
      }
    }
    this.#mayBeLate = false
    this.#told = name
    this.#note(false)
  }

  /** The last thing a life does. If something is still under way, the next one will know. Never throws. */
  end(): void {
    if (this.underWay > 0 || this.#mayBeLate) return
    try {
      this.#note(true)
    } catch {
      // A life that is not noted as over counts as interrupted: the next one makes the hub refuse what it may have sent.
    }
  }

  #note(isOver: boolean): void {
    const noted: Noted = { device: this.#being.device, life: this.number, isOver, told: this.#told }
    const draft = `${this.#file}.draft`
    writeFileSync(draft, JSON.stringify(noted), { mode: 0o600 })
    renameSync(draft, this.#file)
  }
}

function read(file: string): Noted | null {
  try {
    const noted = JSON.parse(readFileSync(file, 'utf8')) as Noted
    return Number.isSafeInteger(noted.life) ? noted : null
  } catch {
    // There was no life before, or it is not known how it ended.
    return null
  }
}
