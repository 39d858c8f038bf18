import { Trouble } from './trouble.ts'

/** Trouble if the error is a missing package: npm skips optional binaries that it cannot download, and reports success. */
export function missingPackage(error: unknown): Trouble | null {
  const { code, message = '' } = (error ?? {}) as NodeJS.ErrnoException
  if (code !== 'MODULE_NOT_FOUND' && code !== 'ERR_MODULE_NOT_FOUND') return null
  const name = /Cannot find (?:module|package) '([^']+)'/.exec(message)?.[1] ?? message.split('\n')[0]
  return new Trouble(
    'failed',
    `${name} is missing: it was not installed, or is not made for this system.`,
    'Install farhand again, online and without --omit=optional. In a clone: npm install.',
    error,
  )
}
