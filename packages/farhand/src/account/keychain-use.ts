import { Keychain } from '@farhand/sync/state/keychain'
import type { CommandContext } from '../context/command-context.ts'
import { stateFolderPath } from '../context/state-folder-path.ts'

/**
 * The keychain of this system, for the tokens of this state folder; null if it is not for them. A folder that somebody
 * has chosen holds everything itself, so that it can be moved and removed as a whole.
 */
export function keychainFor(place: string, context: CommandContext): Keychain | null {
  const { FARHAND_STATE: _, ...env } = context.env
  const isUsual = place === stateFolderPath(undefined, { ...context, env })
  // Elsewhere it is part of the system; here it is one more program, which has to be spoken to in some way.
  const isThere = context.platform !== 'linux' || Boolean(env.DBUS_SESSION_BUS_ADDRESS)
  return isUsual && isThere ? new Keychain(context.self) : null
}
