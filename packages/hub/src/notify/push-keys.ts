import { createECDH } from 'node:crypto'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { keyFile } from '../access/secret.ts'

const PushKeys = z.object({ publicKey: z.string().length(87), privateKey: z.string().length(43) })
export type PushKeys = z.infer<typeof PushKeys>

/**
 * The keys that identify the hub to push services. Browsers subscribed with them: with new keys no browser gets notifications until it
 * subscribes again. A damaged key file is renamed, `damaged` is called with its new path, and new keys are made, so that the hub can
 * start.
 */
export async function openPushKeys(data: string, damaged: (aside: string) => void): Promise<PushKeys> {
  const path = join(data, 'push-keys.json')
  const made = newKeys()
  const kept = keysIn(await keyFile(path, Buffer.from(JSON.stringify(made))))
  if (kept) return kept
  const aside = `${path}.damaged-${Date.now()}`
  await rename(path, aside)
  await keyFile(path, Buffer.from(JSON.stringify(made)))
  damaged(aside)
  return made
}

/** Null if these are no keys or do not belong together. */
function keysIn(bytes: Buffer): PushKeys | null {
  try {
    const keys = PushKeys.parse(JSON.parse(bytes.toString('utf8')))
    const ecdh = createECDH('prime256v1')
    ecdh.setPrivateKey(keys.privateKey, 'base64url')
    return ecdh.getPublicKey().toString('base64url') === keys.publicKey ? keys : null
  } catch {
    // Unusable for any reason: new keys have to be made.
    return null
  }
}

function newKeys(): PushKeys {
  const ecdh = createECDH('prime256v1')
  const publicKey = ecdh.generateKeys().toString('base64url')
  // A small number comes with fewer bytes and must be padded to 32.
  const privateKey = Buffer.concat([Buffer.alloc(32), ecdh.getPrivateKey()]).subarray(-32)
  return { publicKey, privateKey: privateKey.toString('base64url') }
}
