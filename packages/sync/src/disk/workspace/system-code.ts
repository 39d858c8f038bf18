/** The error code of the system, such as ENOENT. */
export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'EIO'

/** The same, but rethrows an error that has no code. */
export function systemCode(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === undefined) throw error
  return code
}
