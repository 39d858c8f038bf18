import type { OnlineDevice } from '@farhand/protocol/schemas/requests'
import type { DeviceId, UserId } from '@farhand/protocol/wire/ids'

/** Which devices are connected, and since when. Hubs that share their users share this, too. */
export interface Presence {
  came(user: UserId, device: DeviceId, at: Date): void
  left(user: UserId, device: DeviceId): void
  /** The devices of a user that are connected now. */
  online(user: UserId): OnlineDevice[]
}

/** The presence of a single hub. */
export class MemoryPresence implements Presence {
  readonly #users = new Map<UserId, Map<DeviceId, string>>()

  came(user: UserId, device: DeviceId, at: Date): void {
    const devices = this.#users.get(user) ?? new Map<DeviceId, string>()
    this.#users.set(user, devices.set(device, at.toISOString()))
  }

  left(user: UserId, device: DeviceId): void {
    const devices = this.#users.get(user)
    devices?.delete(device)
    if (devices?.size === 0) this.#users.delete(user)
  }

  online(user: UserId): OnlineDevice[] {
    return [...(this.#users.get(user) ?? [])].map(([device, since]) => ({ device, since }))
  }
}
