/** The system's word for what went wrong. */
export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'EIO'

/** The same where a plan exists only for what the system says; anything else is thrown on. */
export function systemCode(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === undefined) throw error
  return code
}
