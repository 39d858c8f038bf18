import { createHash } from 'node:crypto'

type Environment = Readonly<Record<string, string | undefined>>

/** By what it can be told later whether settings have changed, without keeping their values: keys are among them. */
export const settingsFingerprints = (env: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value ? [[name, seen(name, value)]] : [])),
  )

/** Which of these are set here, and were not or otherwise in what was seen. What is not set here is nobody's wish. */
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
