import type { DeviceId, RequestId } from '@farhand/protocol/wire/ids'

const mostUnconfirmed = 10
const mostBytes = 1024 * 1024

/** The requests that each connected device has been sent and has not confirmed: it gets more only as it confirms these. */
export class SendWindow {
  readonly #sent = new Map<DeviceId, Map<RequestId, number>>()

  /** Must be called when a device has connected: what it was sent before may be lost. */
  reset(device: DeviceId): void {
    this.#sent.delete(device)
  }

  /** False if the device has as much as it may have. */
  hasRoom(device: DeviceId, bytes: number): boolean {
    const sent = this.#sent.get(device)
    if (!sent?.size) return true
    const waiting = [...sent.values()].reduce((sum, one) => sum + one, 0)
    return sent.size < mostUnconfirmed && waiting + bytes <= mostBytes
  }

  add(device: DeviceId, request: RequestId, bytes: number): void {
    this.#sent.set(device, (this.#sent.get(device) ?? new Map()).set(request, bytes))
  }

  /** True if it was one of those; then there may be room for others. */
  remove(device: DeviceId, request: RequestId): boolean {
    return this.#sent.get(device)?.delete(request) ?? false
  }

  /** What the device has. */
  of(device: DeviceId): RequestId[] {
    return [...(this.#sent.get(device)?.keys() ?? [])]
  }
}
