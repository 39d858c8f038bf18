import { Keychain } from '@farhand/sync/state/keychain'
import { statePlace } from '../context/state-place.ts'
import type { World } from '../context/world.ts'

/**
 * The keychain of this system, for the tokens of this state folder; null if it is not for them. A folder that somebody
 * has chosen holds everything itself, so that it can be moved and removed as a whole.
 */
export function keychainFor(place: string, world: World): Keychain | null {
  const { FARHAND_STATE: _, ...env } = world.env
  const isUsual = place === statePlace(undefined, { ...world, env })
  // Elsewhere it is part of the system; here it is one more program, which has to be spoken to in some way.
  const isThere = world.platform !== 'linux' || Boolean(env.DBUS_SESSION_BUS_ADDRESS)
  return isUsual && isThere ? new Keychain(world.self) : null
}
