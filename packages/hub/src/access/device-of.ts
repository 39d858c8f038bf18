import { DeviceId } from '@farhand/protocol/wire/ids'
import type { Principal } from './principal.ts'

/** The device that a caller acts as; null if it is a browser, a runner or a token without a device. */
export const deviceOf = ({ author }: Principal): DeviceId | null =>
  author.kind === 'device' ? DeviceId.parse(author.id) : null
