import { createHash } from 'node:crypto'
import { statfsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { lockState } from '@farhand/sync/state/lock-state'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import { isOlder } from '../device-process/decide-keeping.ts'
import { KnownRuns } from '../known-runs/known-runs.ts'
import { Trouble } from '../trouble/trouble.ts'
import { askHub } from './ask-hub.ts'
import { ofState, openDataFolder } from './data-folder.ts'
import { LocalHub } from './local-hub.ts'
import type { HubData, StartParts } from './local-hub-parts.ts'
import { type HubStart, startHubProcess } from './start-hub-process.ts'
import { startStep } from './start-step.ts'
import { stopLocalHub } from './stop-local-hub.ts'
import { localSocketAccess } from './via-local-socket.ts'

// Not a valid variable name, so it cannot collide with a setting.
const versionName = '@version'
const askMs = 2_000
/** A busy hub is waited for this long at first, because a restart would interrupt it. */
const firstAskMs = 10_000
const lookMs = 40
/** With less free space a hub cannot create its files. */
const leastBytes = 512 * 1024

export type RunningLocalHub = { url: string; token: string; isStarted: boolean }

/**
 * The local hub, started if it does not answer. It outlives the process that starts it, and several callers at once get
 * the same hub. Afterwards this machine's links and runs have its current address. It is restarted if the caller's
 * settings differ, or if it is of an older version.
 */
export async function ensureLocalHub(
  state: StateFolder,
  parts: StartParts,
  wanted: readonly string[] = [],
): Promise<RunningLocalHub> {
  const { env, version, whileWaiting } = parts
  const hub = new LocalHub(state.root)
  const found = await answering(hub, parts, firstAskMs)
  const { [versionName]: its = version, ...seen } = hub.seen
  const isOfNow = !isOlder(its, version) && changedSettings(wanted, env, seen).length === 0
  if (found && isOfNow) return { ...found, isStarted: false }
  // Sandboxes survive the restart. New settings and new versions reach only a new process. And a hub without a socket
  // is of an older version: the process at its port cannot be verified.
  if (found || hub.lacksSocket) await stopLocalHub(hub, parts)
  openDataFolder(hub.data, ofState)
  const started = await whileWaiting('starts', () => start(hub, state, parts))
  moveAddress(state, hub.note?.urls ?? [], started.url)
  return { ...started, isStarted: true }
}

/** Gives the links and runs that know the hub by one of its earlier addresses the new one. */
function moveAddress(state: StateFolder, before: readonly string[], now: string): void {
  const isMoved = ({ url }: { url: string }) => url !== now && before.includes(url)
  for (const link of state.links().filter(isMoved)) state.save({ ...link, url: now })
  const runs = new KnownRuns(state.root)
  for (const run of runs.all().filter(isMoved)) {
    const closedAt = runs.closedAt(run.at.run)
    runs.save({ ...run, url: now })
    if (closedAt !== null) runs.noteClosed(run.at.run, new Date(closedAt))
  }
}

/** The address and a valid token of the local hub, if it runs. */
async function answering(
  hub: LocalHub,
  { stop, hubData }: Pick<StartParts, 'stop' | 'hubData'>,
  limitMs = askMs,
): Promise<{ url: string; token: string } | null> {
  const running = hub.running
  if (!running) return null
  const noted = hub.note
  const there = { url: running.url, token: noted?.token ?? 'none', ...localSocketAccess(hub, running.url) }
  const answer = await askHub(there, stop, limitMs)
  if (answer === 'silent') return null
  if (noted && answer === 'knows-us' && noted.urls.at(-1) === running.url)
    return { url: running.url, token: noted.token }
  const isKnown = noted !== null && answer === 'knows-us'
  return await introduced(hub, hubData, running.url, isKnown ? noted.token : null)
}

/** Records the address with a valid token. Null if another process is doing that: the caller looks again. */
async function introduced(hub: LocalHub, hubData: HubData, url: string, known: string | null) {
  const lock = lockState(hub.data)
  if ('holder' in lock) return null
  try {
    const token = known ?? (await hubData.makeOwnerToken(hub.data, 'farhand'))
    hub.save({ url, token })
    return { url, token }
  } finally {
    lock.release()
  }
}

async function start(hub: LocalHub, state: StateFolder, parts: StartParts) {
  const since = Date.now()
  let port: 'usual' | 'any' = 'usual'
  let process: HubStart | null = null
  for (;;) {
    const found = await answering(hub, parts)
    parts.stop.throwIfAborted()
    if (!found && hub.couldNotOpenSocket) {
      await stopLocalHub(hub, parts)
      throw shut(hub)
    }
    const step = startStep({
      answers: found !== null,
      child: process?.now() ?? null,
      port,
      waitedMs: Date.now() - since,
    })
    if (step === 'done') {
      const isOurs = process?.now() === 'runs' && process.pid === hub.running?.pid
      if (isOurs) hub.saveFingerprints({ ...settingsFingerprints(parts.env), [versionName]: parts.version })
      // Another process's hub answers. This one must not start later, when the user stops that one.
      else process?.end()
      return found!
    }
    if (step === 'give-up' || step === 'too-long') throw notStarted(hub, step, process?.words() ?? '')
    if (step === 'start-on-any-port') port = 'any'
    if (step === 'wait') await pause(lookMs, undefined, { signal: parts.stop })
    else process = startHubProcess(hub, port === 'any' ? 0 : hub.usualPort, state.root, parts)
  }
}

const shut = ({ data, log }: LocalHub) =>
  new Trouble(
    'failed',
    `The hub on ${data} could not be started: it cannot make a socket there.`,
    `${log} says why. On another disk it can: --state <folder> (FARHAND_STATE).`,
  )

function notStarted({ log, data }: LocalHub, step: 'give-up' | 'too-long', said: string): Trouble {
  const { bavail, bsize } = statfsSync(data)
  if (step === 'give-up' && bavail * bsize < leastBytes)
    return new Trouble(
      'failed',
      `The disk of ${data} is full: no hub can be started there.`,
      ofState.nextStep,
    )
  const what =
    step === 'too-long'
      ? `The hub on ${data} does not answer.`
      : `The hub on ${data} could not be started${said ? `: ${said}` : '.'}`
  return new Trouble('failed', what, `${log} has its output. --hub <url> names another one.`)
}

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
