import type { HubFacts, StateFacts } from './probes.ts'

/** The result of one check, and what to do if it is not fine. */
export type Finding = { what: string; is: 'fine' | 'weak' | 'broken'; says: string; next: string | null }

const fine = (what: string, says: string): Finding => ({ what, is: 'fine', says, next: null })
const weak = (what: string, says: string, next: string): Finding => ({ what, is: 'weak', says, next })
const broken = (what: string, says: string, next: string): Finding => ({ what, is: 'broken', says, next })

const mostClockMs = 5_000
const littleSpace = 1024 ** 3
const tooLittleSpace = 50 * 1024 ** 2

export function judgeNode(version: string, wanted: string): Finding {
  return compare(version, wanted) < 0
    ? broken(
        'node',
        `Node ${version}; farhand needs ${wanted}`,
        'Install a newer version from https://nodejs.org',
      )
    : fine('node', `Node ${version}`)
}

/** This machine uses no hub, and the user named none. */
export const judgeNoHub = (): Finding => fine('hub', 'none is known here: one is started when it is needed')

/** `said` is the output of `git --version`; null without git. */
export function judgeGit(said: string | null): Finding {
  const install = 'Install git, 2.31 or newer.'
  if (said === null)
    return broken('git', 'git is not installed, and repositories cannot be sent without it', install)
  const version = /(\d+(?:\.\d+)+)/.exec(said)?.[1]
  if (version === undefined) return weak('git', `it says ${JSON.stringify(said.trim())}`, install)
  return compare(version, '2.31') < 0
    ? weak('git', `git ${version} is old: some repositories cannot be sent`, install)
    : fine('git', `git ${version}`)
}

export function judgeHub(facts: HubFacts, call: string, hasData = false): Finding[] {
  const { url, trouble, aheadMs, speaks, we, isKnown } = facts
  if (trouble !== null)
    return [
      broken('hub', `${url} does not answer: ${trouble}`, `Is it running? \`${call} hub\` starts one here.`),
    ]
  if (speaks === null)
    return [broken('hub', `no hub answers at ${url}`, 'Give the address that the hub printed.')]
  const own = we.split('.')[0]
  const is = speaks.split('.')[0]
  const hub =
    own !== is
      ? broken('hub', `${url} speaks version ${speaks}, this command ${we}`, 'Update the older one.')
      : isKnown === false
        ? broken('hub', `${url} rejects the stored token`, 'Sign in again with its link.')
        : isKnown === null && hasData
          ? fine('hub', `${url} answers; commands in this folder get a token from its data`)
          : isKnown === null
            ? weak('hub', `${url} answers, but you are not signed in`, 'Give the link that it printed.')
            : fine('hub', `${url} answers and accepts your token`)
  return [hub, ...(aheadMs === null ? [] : [judgeClock(url, aheadMs)])]
}

function judgeClock(url: string, aheadMs: number): Finding {
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  if (Math.abs(aheadMs) <= mostClockMs) return fine('clock', `within ${mostClockMs / 1000} s of ${url}`)
  const way = aheadMs > 0 ? 'behind' : 'ahead of'
  const next = 'Synchronize both clocks (`timedatectl set-ntp true`).'
  return weak('clock', `${seconds} s ${way} ${url}: times in the history are wrong`, next)
}

export function judgeState({ place, trouble, freeBytes, isOpen }: StateFacts): Finding {
  const elsewhere = 'Make it writable, or name another one: --state <folder>, or FARHAND_STATE.'
  if (trouble !== null) return broken('state', `${place} cannot be written (${trouble})`, elsewhere)
  if (freeBytes !== null && freeBytes < tooLittleSpace)
    return broken('state', `the disk of ${place} is full`, 'Free some space there.')
  if (isOpen) return weak('state', `other users can read ${place}`, `chmod -R go= ${place}`)
  if (freeBytes !== null && freeBytes < littleSpace)
    return weak(
      'state',
      `the disk of ${place} is nearly full (${inMb(freeBytes)} left)`,
      'Free some space there.',
    )
  return fine('state', `${place}${freeBytes === null ? '' : `, ${inMb(freeBytes)} free`}`)
}

/** `usable` are the agents that can work now, or after the user signs in; the rehearsal is not among them. */
export function judgeAgents(usable: readonly string[], call: string): Finding {
  return usable.length > 0
    ? fine('agents', usable.join(', '))
    : weak(
        'agents',
        'no agent but the rehearsal can work here',
        `\`${call} agents\` shows what each of them needs.`,
      )
}

export type SandboxFacts = {
  unusable: string | null
  strength: string
  /** The kernel's settings for user namespaces, by name. */
  kernel: Readonly<Record<string, string>>
}

export function judgeSandbox({ unusable, strength, kernel }: SandboxFacts): Finding {
  if (unusable === null) return fine('sandbox', strength)
  const wrong = kernelRemedies.find(([name, value]) => kernel[name] === value)
  const next = wrong
    ? `sudo sysctl ${wrong[0]}=${wrong[2]}`
    : 'Until then agents work here without isolation: `--sandbox process`, or `--here`.'
  return weak('sandbox', unusable, next)
}

const kernelRemedies = [
  ['kernel.apparmor_restrict_unprivileged_userns', '1', '0'],
  ['kernel.unprivileged_userns_clone', '0', '1'],
  ['user.max_user_namespaces', '0', '10000'],
] as const

/** `folders` counts the folders below all linked folders; `most` is null where the system sets no limit. */
export function judgeWatches(most: number | null, folders: number): Finding {
  if (most === null) return fine('watcher', 'this system watches whole trees')
  const says = `${folders} folders to watch, of ${most} that the system allows`
  const next = `sudo sysctl fs.inotify.max_user_watches=${Math.max(1_048_576, folders * 4)}`
  return folders > most * 0.8
    ? weak('watcher', `${says}: changes may be found late`, next)
    : fine('watcher', says)
}

/** `holder` is the process that listens on the port, null if it is free; `isHub`: whether that is a hub. */
export function judgePort(port: number, holder: string | null, isHub: boolean): Finding {
  if (holder === null) return fine('port', `${port} is free for a hub`)
  return isHub
    ? fine('port', `a hub listens on ${port}`)
    : weak('port', `${port} is used by ${holder}`, 'Start a hub with --port <another>.')
}

export function judgeTerminal(isTerminal: boolean, color: boolean, env: Env): Finding {
  if (!isTerminal) return fine('terminal', 'none: nothing is asked, and everything is printed plainly')
  if (env.TERM === undefined || env.TERM === '' || env.TERM === 'dumb')
    return weak(
      'terminal',
      `TERM is ${env.TERM || 'not set'}: lines only, no colours`,
      'export TERM=xterm-256color',
    )
  const language = env.LC_ALL || env.LC_CTYPE || env.LANG || ''
  if (!/utf-?8/i.test(language))
    return weak('terminal', `the language (${language || 'none'}) is not UTF-8`, 'export LANG=C.UTF-8')
  return fine('terminal', `${env.TERM}${color ? '' : ', without colours'}`)
}

type Env = Readonly<Record<string, string | undefined>>

/** Hubs on this machine are always reached directly. */
export function judgeProxy(env: Env, hubs: readonly string[]): Finding {
  const set = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'].filter(
    (name) => env[name],
  )
  const away = hubs.filter((url) => !/^https?:\/\/(127\.|localhost|\[::1\])/.test(url))
  if (set.length === 0) return fine('proxy', 'none is set')
  return away.length === 0
    ? fine('proxy', `${set.join(', ')}: for agents; the hub is reached directly`)
    : weak(
        'proxy',
        `${set.join(', ')} is set, and ${away[0]} is reached without it`,
        'Make sure that it can be reached directly.',
      )
}

export type DeviceFacts = { version: string; pid: number; folders: number } | null

export function judgeDevice(device: DeviceFacts, version: string, links: number, call: string): Finding {
  if (device === null)
    return fine(
      'daemon',
      links === 0 ? 'none runs, and none is needed' : 'none runs; it is started when needed',
    )
  const says = `process ${device.pid}; ${device.folders} linked ${device.folders === 1 ? 'folder' : 'folders'}`
  return device.version === version
    ? fine('daemon', says)
    : weak('daemon', `${says}, as version ${device.version}`, `\`${call} status\` replaces it.`)
}

/** Where hub tokens are stored; `none`: this system or this state folder uses no keychain. */
export function judgeTokens(keychain: 'works' | 'silent' | 'none'): Finding {
  if (keychain === 'works') return fine('tokens', 'in the keychain of this system')
  if (keychain === 'none') return fine('tokens', 'in files that only you can read; no keychain is used here')
  const next = 'Unlock it, or set one up. Until then tokens stay in files.'
  return weak('tokens', 'in files that only you can read: the keychain does not answer', next)
}

/** `trouble` is why SQLite does not work here; null if it does. */
export const judgeDatabase = (trouble: string | null): Finding =>
  trouble === null
    ? fine('database', 'a hub can keep its tables here')
    : broken('database', trouble, 'Install farhand again, online and without --omit=optional.')

/** A check that could not be done. */
export const checkFailed = (what: string, why: string): Finding =>
  weak(what, `could not be checked: ${why}`, 'Run it again.')

function compare(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => text.split('.').map(Number))
  for (const at of [0, 1, 2]) {
    const difference = (a?.[at] ?? 0) - (b?.[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

const inMb = (bytes: number) =>
  bytes >= littleSpace ? `${Math.round(bytes / 1024 ** 3)} GB` : `${Math.round(bytes / 1024 ** 2)} MB`
