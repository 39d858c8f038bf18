import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Keychain } from '@farhand/sync/state/keychain'
import type { CommandContext } from '../context/command-context.ts'

/**
 * The system keychain for the tokens of this state folder; null if it is not used. A state folder that the user chose
 * holds everything itself, so that it can be moved and removed as a whole.
 */
export function userKeychain(place: string, context: CommandContext): Keychain | null {
  const { FARHAND_STATE: _, ...env } = context.env
  const isUsual = place === stateFolderPath(undefined, { ...context, env })
  // On Linux the keychain is a separate program that is reached over D-Bus.
  const isThere = context.platform !== 'linux' || Boolean(env.DBUS_SESSION_BUS_ADDRESS)
  return isUsual && isThere ? new Keychain(context.self) : null
}
