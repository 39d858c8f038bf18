import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/** A key for encrypting values, and an id that reveals nothing about it. */
export type SealingKey = { id: string; key: Buffer }

/** Derives the key. The same material always gives the same key, and a part of the material reveals nothing of it. */
export function sealingKey(material: Buffer | string): SealingKey {
  const derived = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', material, 'farhand secrets', purpose, bytes))
  return { id: derived('name of the key', 8).toString('hex'), key: derived('sealing', 32) }
}

/** Encrypts a value and binds it to `as`: it can only be opened with the same strings in the same order. */
export function seal({ key }: SealingKey, as: readonly string[], value: string): string {
  const nonce = randomBytes(nonceBytes)
  const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(JSON.stringify(as)))
  const sealed = Buffer.concat([sealing.update(value, 'utf8'), sealing.final()])
  return Buffer.concat([nonce, sealing.getAuthTag(), sealed]).toString('base64')
}

/** The decrypted value; throws if a bit was changed or `as` differs. */
export function unseal({ key }: SealingKey, as: readonly string[], sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64')
  const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(JSON.stringify(as)))
    .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
  return Buffer.concat([opening.update(bytes.subarray(nonceBytes + tagBytes)), opening.final()]).toString()
}
