import { Trouble } from '@farhand/device/trouble/trouble'
import { AllowedHost, type Network, SandboxTerms, SecretName } from '@farhand/protocol/schemas/sandbox-terms'
import { sizeNamed } from '../../terminal/printing/file-size.ts'

const termFlags = [
  'network',
  'setup',
  'idle',
  'secret',
  'memory',
  'cpus',
  'disk',
  'processes',
  'remote',
  'clone',
  'ref',
] as const

export type SandboxFlags = Readonly<
  Partial<Record<'sandbox' | 'here' | 'run' | (typeof termFlags)[number], unknown>>
>

export type SandboxAsked = { kind: string; terms: SandboxTerms }

const kinds = ['auto', 'bubblewrap', 'process']

/** The sandbox for a new run; null if it has none, or if the command joins a run. Throws Trouble for wrong values. */
export function sandboxAsked(flags: SandboxFlags): SandboxAsked | null {
  const { sandbox, here, run } = flags
  const stray = termFlags.find((flag) => flags[flag] !== undefined)
  if (run !== undefined) {
    const said = sandbox !== undefined ? 'sandbox' : here ? 'here' : stray
    if (said) throw wrong('The place of a run cannot be changed later.', `Leave --run or --${said} out.`)
    return null
  }
  if (here) {
    const said = sandbox !== undefined ? 'sandbox' : stray
    if (said)
      throw wrong(`--${said} is about a sandbox, and --here is without one.`, 'Leave one of them out.')
    return null
  }
  const kind = sandbox === undefined || sandbox === true ? 'auto' : String(sandbox)
  if (!kinds.includes(kind))
    throw wrong(
      `There is no kind of sandbox called ${JSON.stringify(kind)}.`,
      `There are ${kinds.join(', ')}. A prompt goes before --sandbox, or after a kind.`,
    )
  const limits = {
    ...inMebibytes('memoryMb', '--memory', flags.memory),
    ...inMebibytes('diskMb', '--disk', flags.disk),
    ...number('cpus', '--cpus', flags.cpus),
    ...number('processes', '--processes', flags.processes),
  }
  if (flags.ref !== undefined && flags.clone === undefined)
    throw wrong('--ref is about a repository to clone.', 'Name one: --clone <url>')
  const terms = {
    ...(flags.network !== undefined && { network: network(String(flags.network)) }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(flags.setup !== undefined && { setup: String(flags.setup) }),
    ...(flags.idle !== undefined && { idleMinutes: minutes(String(flags.idle)) }),
    ...(flags.secret !== undefined && { secrets: secrets(flags.secret as string[]) }),
    ...(flags.clone !== undefined && {
      clone: { url: String(flags.clone), ...(flags.ref !== undefined && { ref: String(flags.ref) }) },
    }),
    ...(flags.remote !== undefined && { remotes: flags.remote as string[] }),
  }
  const read = SandboxTerms.safeParse(terms)
  if (read.success) return { kind, terms: read.data }
  const issue = read.error.issues[0]!
  const flag = flagOf(issue.path)
  if (issue.code === 'too_small' || issue.code === 'too_big')
    throw wrong(`${flag} is too ${issue.code.slice(4)}.`, `It takes ${bound(issue, flag)}.`)
  throw wrong(`${flag} cannot be taken: ${issue.message}.`, 'See run --help for what it takes.')
}

type Bounds = { minimum?: number | bigint; maximum?: number | bigint }

/** The smallest or largest value, as the flag takes it. */
function bound({ minimum, maximum }: Bounds, flag: string): string {
  const unit = flag === '--memory' || flag === '--disk' ? 'M' : ''
  return minimum === undefined ? `${maximum}${unit} at most` : `${minimum}${unit} at least`
}

/**
 * In `--sandbox "do this"` the text is the prompt: a kind is one word, and a prompt hardly ever is.
 */
export function promptBesideSandbox<Flags extends SandboxFlags>(
  prompt: string | undefined,
  flags: Flags,
): { prompt: string | undefined; flags: Flags } {
  const { sandbox } = flags
  const isPrompt = prompt === undefined && typeof sandbox === 'string' && /\s/.test(sandbox)
  return isPrompt ? { prompt: sandbox, flags: { ...flags, sandbox: true } } : { prompt, flags }
}

function network(said: string): Network {
  if (isWhole(said)) return said
  const allow = said.split(',').map((host) => host.trim())
  // A host could have this name, but the user means the keyword, which cannot be in a list.
  const strange = allow.find((host) => isWhole(host) || !AllowedHost.safeParse(host).success)
  if (strange === undefined) return { allow }
  throw wrong(
    `--network has ${JSON.stringify(strange)}, which is not a host${isWhole(strange) ? ' and stands alone' : ''}.`,
    'It takes full, public, none, or hosts with commas between: example.org,*.example.org,example.org:8080',
  )
}

const isWhole = (said: string): said is 'full' | 'public' | 'none' =>
  ['full', 'public', 'none'].includes(said)

const unitMinutes: Readonly<Record<string, number>> = { s: 1 / 60, m: 1, '': 1, h: 60, d: 1440 }

function minutes(said: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*([smhd]?)$/i.exec(said.trim()) ?? []
  const read = Number(amount) * (unitMinutes[unit?.toLowerCase() ?? ''] ?? Number.NaN)
  if (read > 0 && read <= 43_200) return read
  throw wrong(`--idle is ${JSON.stringify(said)}.`, 'It takes a time such as 30m, 2h or 90s; 30d at most.')
}

function secrets(names: readonly string[]): string[] {
  const strange = names.find((name) => !SecretName.safeParse(name).success)
  if (strange === undefined) return [...new Set(names)]
  throw wrong(
    // The text after a = is most likely the secret itself: do not print it.
    `--secret takes the name of a secret of the project, not ${strange.includes('=') ? 'its value' : JSON.stringify(strange)}.`,
    'Such as --secret NPM_TOKEN: letters, digits and _.',
  )
}

function inMebibytes(name: string, flag: string, said: unknown): Record<string, number> {
  return said === undefined ? {} : { [name]: Math.floor(sizeNamed(String(said), flag) / 1024 ** 2) }
}

function number(name: string, flag: string, said: unknown): Record<string, number> {
  if (said === undefined) return {}
  if (/^\d+(\.\d+)?$/.test(String(said))) return { [name]: Number(said) }
  throw wrong(`${flag} is ${JSON.stringify(said)}.`, 'It takes a number.')
}

const flagNames: Readonly<Record<string, string>> = {
  memoryMb: '--memory',
  diskMb: '--disk',
  remotes: '--remote',
  secrets: '--secret',
  idleMinutes: '--idle',
}

function flagOf(path: readonly PropertyKey[]): string {
  const [first, second] = path.map(String)
  if (first === 'clone') return second === 'ref' ? '--ref' : '--clone'
  const name = (first === 'limits' ? second : first) ?? ''
  return flagNames[name] ?? `--${name}`
}

const wrong = (message: string, nextStep: string) => new Trouble('usage', message, nextStep)
