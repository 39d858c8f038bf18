import { argon2id, argon2Verify } from 'hash-wasm'

// What OWASP recommends at least: 19 MiB of memory and two passes, about 30 ms of a core.
const settings = { parallelism: 1, iterations: 2, memorySize: 19_456, hashLength: 32 } as const
const saltBytes = 16

/** The hash of a password in its usual text form, which has the salt and the settings in it. */
export function hashPassword(password: string): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(saltBytes))
  return argon2id({ ...settings, password: asTyped(password), salt, outputType: 'encoded' })
}

/** Whether this is the password of the hash. */
export function isPasswordOf(password: string, hash: string): Promise<boolean> {
  return argon2Verify({ password: asTyped(password), hash })
}

/** Keyboards of different systems write the same accented letter in two ways. */
const asTyped = (password: string) => password.normalize('NFKC')
