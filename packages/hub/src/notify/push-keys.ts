import { createECDH } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { keyFile } from '../access/secret.ts'

const PushKeys = z.object({ publicKey: z.string().length(87), privateKey: z.string().length(43) })
export type PushKeys = z.infer<typeof PushKeys>

/** By these a push service knows the hub again. Browsers have subscribed with them: with others none would be told. */
export async function openPushKeys(data: string): Promise<PushKeys> {
  const made = Buffer.from(JSON.stringify(newKeys()))
  const kept = await keyFile(join(data, 'push-keys.json'), made)
  return PushKeys.parse(JSON.parse(kept.toString('utf8')))
}

function newKeys(): PushKeys {
  const ecdh = createECDH('prime256v1')
  const publicKey = ecdh.generateKeys().toString('base64url')
  // A number that happens to be small comes short, and would be no key.
  const privateKey = Buffer.concat([Buffer.alloc(32), ecdh.getPrivateKey()]).subarray(-32)
  return { publicKey, privateKey: privateKey.toString('base64url') }
}
