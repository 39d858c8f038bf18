import type { KeychainAnswer, KeychainAsk } from '@farhand/sync/state/keychain'
import { z } from 'zod'

const Ask = z.discriminatedUnion('do', [
  z.object({ do: z.literal(['get', 'delete']), name: z.string() }),
  z.object({ do: z.literal('set'), name: z.string(), token: z.string() }),
])

// Without that it may be a keyring of the kernel, which is empty after the next start.
const linux = { store: 'secret-service' as const }

/**
 * Does something in the keychain of this system; throws if there is none. It may take for ever, as a locked one asks a
 * person: whoever calls this can be killed.
 */
export async function keychainEntry(said: unknown): Promise<KeychainAnswer> {
  const ask: KeychainAsk = Ask.parse(said)
  const { Entry } = await import('@napi-rs/keyring')
  const entry = new Entry('farhand', ask.name, { linux })
  if (ask.do === 'set') entry.setPassword(ask.token)
  if (ask.do === 'delete') entry.deletePassword()
  // Some say that it is done, and have nothing.
  return { token: entry.getPassword() ?? null }
}
