import { Trouble } from '@farhand/device/trouble/trouble'
import { z } from 'zod'

/** One setting of a program, as its schema describes it: the same name on the command line and in the environment. */
export type Setting = {
  key: string
  flag: string
  env: string
  kind: 'value' | 'list' | 'switch'
  /** What stands for the value in the help: `--port <port>`. */
  takes: string
  description: string
  fallback: unknown
  /** Only in the environment: all users of the machine can read a command line. */
  isSecret: boolean
}

/** `keepAliveMs` is `--keep-alive-ms` on the command line and `FARHAND_KEEP_ALIVE_MS` in the environment. */
export function settingsOf(schema: z.ZodObject): Setting[] {
  return Object.entries(schema.shape).map(([key, field]) => {
    const words = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    const { defaultValue: fallback } = field.def as { defaultValue?: unknown }
    const { type } = unwrapped(field as z.ZodType).def
    const kind = type === 'array' ? 'list' : type === 'boolean' ? 'switch' : 'value'
    const flag = kind === 'switch' && fallback === true ? `--no-${words}` : `--${words}`
    const env = `FARHAND_${words.replaceAll('-', '_').toUpperCase()}`
    return {
      key,
      flag,
      env,
      kind,
      takes: takes(key, kind),
      description: (field as z.ZodType).description ?? '',
      fallback,
      isSecret: (field as z.ZodType).meta()?.secret === true,
    }
  })
}

function takes(key: string, kind: Setting['kind']): string {
  if (kind === 'list') return 'names...'
  const unit = /(Ms|Bytes|Url|Level|Mb|Minutes)$/.exec(key)?.[1]
  if (key.startsWith('maxSandboxes')) return 'count'
  return unit?.toLowerCase() ?? (key === 'data' ? 'folder' : key)
}

/**
 * The settings of a program: flags count before the environment, and that before the defaults. Trouble names the flag or
 * variable of each wrong value, and `help`, the command that explains the settings.
 */
export function settle<Schema extends z.ZodObject>(
  schema: Schema,
  flags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
  help: string,
): z.infer<Schema> {
  const given: Record<string, unknown> = {}
  const problems: string[] = []
  for (const setting of settingsOf(schema)) {
    // Shells and compose files write "not set" as an empty variable; read as a number it would be port 0.
    const fromEnv = env[setting.env] === '' ? undefined : env[setting.env]
    const value = (setting.isSecret ? undefined : flags[setting.key]) ?? fromText(setting.kind, fromEnv)
    if (value === undefined) continue
    given[setting.key] = value
    const wrong = settingProblem(schema.shape[setting.key] as z.ZodType, value)
    const source = flags[setting.key] === undefined ? setting.env : setting.flag
    const is = setting.isSecret ? 'is set' : `is ${JSON.stringify(value)}`
    if (wrong) problems.push(`${source} ${is}, but ${wrong}`)
  }
  if (problems.length === 0) return schema.parse(given)
  throw new Trouble('usage', problems.join('\n'), `See \`${help}\` for what each setting takes.`)
}

function fromText(kind: Setting['kind'], text: string | undefined): unknown {
  if (text === undefined || kind === 'value') return text
  if (kind === 'list') return text.split(',').map((part) => part.trim())
  if (['1', 'true', 'yes', 'on'].includes(text)) return true
  return ['0', 'false', 'no', 'off'].includes(text) ? false : text
}

/** What a setting accepts, if this value is wrong; null if it is right. The errors of zod are for programmers. */
function settingProblem(field: z.ZodType, value: unknown): string | null {
  const inner = unwrapped(field)
  // Coercion accepts "0x1F", "1e3" and "" as numbers: these are mistakes of the user.
  const isWhole = inner instanceof z.ZodNumber && inner.format === 'safeint'
  const isNoNumber =
    inner instanceof z.ZodNumber &&
    typeof value === 'string' &&
    !(isWhole ? /^-?\d+$/ : /^-?\d+(\.\d+)?$/).test(value)
  if (!isNoNumber && field.safeParse(value).success) return null
  if (value === '') return 'must not be empty'
  if (inner instanceof z.ZodNumber) return `takes a ${isWhole ? 'whole ' : ''}number ${range(inner, field)}`
  if (inner instanceof z.ZodEnum) return `takes one of ${inner.options.join(', ')}`
  if (inner instanceof z.ZodBoolean) return 'takes yes or no'
  if (inner instanceof z.ZodURL) return 'takes an address such as https://hub.example.org'
  return 'must not be empty'
}

function unwrapped(field: z.ZodType): z.ZodType {
  const { innerType } = field.def as { innerType?: z.ZodType }
  return innerType ? unwrapped(innerType) : field
}

function range({ minValue, maxValue }: z.ZodNumber, field: z.ZodType): string {
  const least = field.safeParse(minValue).success ? minValue : (minValue ?? 0) + 1
  const most = maxValue === null || maxValue >= Number.MAX_SAFE_INTEGER ? null : maxValue
  return most === null ? `from ${least} up` : `from ${least} to ${most}`
}
