import type { DeviceId } from '@farhand/protocol/wire/ids'
import type { Principal } from './principal.ts'

/** The bound device whose own token a caller has; null for browsers, also for those that were signed in from a device. */
export const deviceOf = (who: Principal): DeviceId | null =>
  who.kind === 'user' && who.session === null ? who.device : null
