import { Keychain } from '@farhand/sync/state/keychain'
import { type StatePlace, stateFolderPath } from '../state/state-folder-path.ts'

/** `self` is the program and its first arguments, which is called with `keychain`: this very command. */
export type KeychainUser = StatePlace & { self: readonly [string, ...string[]] }

/**
 * The system keychain for the tokens of this state folder; null if it is not used. A state folder that the user chose
 * holds everything itself, so that it can be moved and removed as a whole.
 */
export function userKeychain(place: string, user: KeychainUser): Keychain | null {
  const { FARHAND_STATE: _, ...env } = user.env
  const isUsual = place === stateFolderPath(undefined, { ...user, env })
  // On Linux the keychain is a separate program that is reached over D-Bus.
  const isThere = user.platform !== 'linux' || Boolean(env.DBUS_SESSION_BUS_ADDRESS)
  return isUsual && isThere ? new Keychain(user.self) : null
}
