import type { KeychainAnswer, KeychainAsk } from '@farhand/sync/state/keychain'
import { z } from 'zod'

const Ask = z.discriminatedUnion('do', [
  z.object({ do: z.literal(['get', 'delete']), name: z.string() }),
  z.object({ do: z.literal('set'), name: z.string(), token: z.string() }),
])

// Without this setting it may use a kernel keyring, which is lost at the next reboot.
const linux = { store: 'secret-service' as const }

/**
 * Reads, writes or deletes an entry of the system keychain; throws if there is none. It may block for ever, because a
 * locked keychain asks the user: call it in a process that can be killed.
 */
export async function keychainEntry(said: unknown): Promise<KeychainAnswer> {
  const ask: KeychainAsk = Ask.parse(said)
  const { Entry } = await import('@napi-rs/keyring')
  const entry = new Entry('farhand', ask.name, { linux })
  if (ask.do === 'set') entry.setPassword(ask.token)
  if (ask.do === 'delete') entry.deletePassword()
  // Some keychains report success without storing anything.
  return { token: entry.getPassword() ?? null }
}
