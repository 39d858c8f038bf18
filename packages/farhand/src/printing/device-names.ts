import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isEvent } from '@farhand/protocol/events/event-names'
import { DeviceStart } from '@farhand/protocol/methods/settings'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'

/** What devices are called, by their ids, as far as the log has said. */
export type DeviceNames = ReadonlyMap<string, string>

/** Takes note of what an event says of a device's name; gives whether that is news. */
export function noteDeviceName(names: Map<string, string>, { by, notification }: SeenEvent): boolean {
  if (!isEvent(notification, 'device_start') || by.kind !== 'device') return false
  const { data } = DeviceStart.safeParse(notification.params)
  if (!data?.name || names.get(by.id) === data.name) return false
  names.set(by.id, data.name)
  return true
}

/** The names that a folder has read in all of its lives: the log is read once. */
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
      // Then the next life shows ids: nobody needs to be stopped for that.
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
