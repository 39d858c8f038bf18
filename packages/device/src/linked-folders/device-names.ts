import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isEvent } from '@farhand/protocol/events/event-names'
import { DeviceStart } from '@farhand/protocol/methods/settings'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'

/** The names of devices by their ids, as the log tells them. */
export type DeviceNames = ReadonlyMap<string, string>

/** Keeps the device name that an event tells; returns whether it is new. */
export function noteDeviceName(names: Map<string, string>, { by, notification }: SeenEvent): boolean {
  if (!isEvent(notification, 'device_start') || by.kind !== 'device') return false
  const { data } = DeviceStart.safeParse(notification.params)
  if (!data?.name || names.get(by.id) === data.name) return false
  names.set(by.id, data.name)
  return true
}

/** The device names that a linked folder has read from its log so far, kept on disk: later starts do not read the log from its beginning. */
export class KnownNames {
  readonly names: Map<string, string>
  readonly #file: string

  constructor(memoryFolder: string) {
    this.#file = path.join(memoryFolder, 'devices')
    this.names = read(this.#file)
  }

  take(event: SeenEvent): void {
    if (!noteDeviceName(this.names, event)) return
    try {
      writeFileSync(this.#file, JSON.stringify([...this.names]), { mode: 0o600 })
    } catch {
      // The next start shows ids instead of names; that is no reason to stop.
    }
  }
}

function read(file: string): Map<string, string> {
  try {
    return new Map(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return new Map()
  }
}
