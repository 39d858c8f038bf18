import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/** A key that values are sealed with, and a name for it that tells nothing about it. */
export type SealingKey = { id: string; key: Buffer }

/** The same material always gives the same key; whoever has less than the whole of it has nothing. */
export function sealingKey(material: Buffer | string): SealingKey {
  const derived = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', material, 'farhand secrets', purpose, bytes))
  return { id: derived('name of the key', 8).toString('hex'), key: derived('sealing', 32) }
}

/** Sealed so that it can only be opened as what it is: under the same words, in the same order. */
export function seal({ key }: SealingKey, as: readonly string[], value: string): string {
  const nonce = randomBytes(nonceBytes)
  const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(JSON.stringify(as)))
  const sealed = Buffer.concat([sealing.update(value, 'utf8'), sealing.final()])
  return Buffer.concat([nonce, sealing.getAuthTag(), sealed]).toString('base64')
}

/** What was sealed; throws if one bit is another, or the words are. */
export function unseal({ key }: SealingKey, as: readonly string[], sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64')
  const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(JSON.stringify(as)))
    .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
  return Buffer.concat([opening.update(bytes.subarray(nonceBytes + tagBytes)), opening.final()]).toString()
}
