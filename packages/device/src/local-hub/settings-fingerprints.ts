import { createHash } from 'node:crypto'

type Environment = Readonly<Record<string, string | undefined>>

/** Fingerprints that show later whether settings have changed, without storing their values, which include keys. */
export const settingsFingerprints = (env: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value ? [[name, seen(name, value)]] : [])),
  )

/**
 * The wanted settings that are set here and differ from the recorded ones. A setting that is not set here does not
 * matter.
 */
export const changedSettings = (
  wanted: readonly string[],
  env: Environment,
  before: Readonly<Record<string, string>>,
): string[] =>
  wanted.filter((name) => {
    const value = env[name]
    return value !== undefined && value !== '' && before[name] !== seen(name, value)
  })

const seen = (name: string, value: string) =>
  createHash('sha256').update(`${name}=${value}`).digest('base64url').slice(0, 12)
