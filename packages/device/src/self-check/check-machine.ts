import path from 'node:path'
import type { Hub } from '@farhand/client/requests/hub'
import { unlessStopped } from '@farhand/kit/unless-stopped'
import { within } from '@farhand/kit/within'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import { type KeychainUser, userKeychain } from '../account/user-keychain.ts'
import { askDevice } from '../device-process/call-device.ts'
import { localAgents } from '../installed-agents/local-agents.ts'
import { KnownRuns } from '../known-runs/known-runs.ts'
import { hubOfDataFolder } from '../local-hub/hub-of-data-folder.ts'
import { LocalHub } from '../local-hub/local-hub.ts'
import type { HubData } from '../local-hub/local-hub-parts.ts'
import { portHolder } from '../local-hub/port-holder.ts'
import { viaLocalSocket } from '../local-hub/via-local-socket.ts'
import * as judge from './judge.ts'
import { countFolders, lookAtGit, lookAtHub, lookAtState, mostWatches } from './probes.ts'

const wantedNode = '20.19'
const usualPort = 7717
// All checks run at once; the slowest starts a sandbox.
const longestMs = 15_000

export type Checked = KeychainUser & {
  state: StateFolder
  version: string
  /** The command as users type it. */
  call: string
  cwd: string
  terminal: boolean
  color: boolean
  stop: AbortSignal
  /** The hub that the user names, and the token for it. */
  named: { hub: unknown; token: unknown }
  /** What only the code of the hub can look at. */
  ofHub: {
    data: HubData
    database: () => Promise<string | null>
    sandbox: () => Promise<judge.SandboxFacts>
  }
}

type Check = readonly [string, () => Promise<judge.Finding | judge.Finding[]>]
/** `hasData`: its data folder is that of the working folder, from which commands make themselves a token. */
type HubHere = Hub & { hasData: boolean }

/** Checks everything that runs depend on. It changes nothing, and ends within seconds. */
export async function checkMachine(machine: Checked): Promise<judge.Finding[]> {
  const all = await checks(machine)
  const findings = await Promise.all(all.map((check) => findingOf(check, machine.stop)))
  // Last: asking the keychain blocks this process.
  return [...findings.flat(), judge.judgeTokens(lookAtKeychain(machine))]
}

async function checks(machine: Checked): Promise<Check[]> {
  const { state, version, call, env, stop, ofHub } = machine
  const hubs = await hubsHere(machine)
  return [
    ['farhand', async () => ({ what: 'farhand', is: 'fine', says: `Farhand ${version}`, next: null })],
    ['node', async () => judge.judgeNode(process.versions.node, wantedNode)],
    ['git', async () => judge.judgeGit(await lookAtGit(env))],
    ['state', async () => judge.judgeState(await lookAtState(state.root))],
    ...hubs.map((hub): Check => {
      const look = () => lookAtHub(viaLocalSocket(state.root, hub), stop)
      return ['hub', async () => judge.judgeHub(await look(), call, hub.hasData)]
    }),
    ...(hubs.length === 0 ? [['hub', async () => judge.judgeNoHub()] as Check] : []),
    ['database', async () => judge.judgeDatabase(await ofHub.database())],
    ['port', async () => await checkPort(stop)],
    ['agents', async () => judge.judgeAgents(agentsThatWork(machine), call)],
    ['sandbox', async () => judge.judgeSandbox(await ofHub.sandbox())],
    ['watcher', async () => judge.judgeWatches(await mostWatches(), await foldersOf(state))],
    ['daemon', async () => await checkDevice(machine)],
    ['terminal', async () => judge.judgeTerminal(machine.terminal, machine.color, env)],
    [
      'proxy',
      async () =>
        judge.judgeProxy(
          env,
          hubs.map(({ url }) => url),
        ),
    ],
  ]
}

async function findingOf([what, check]: Check, stop: AbortSignal): Promise<judge.Finding | judge.Finding[]> {
  const checked = check().catch((error: unknown) =>
    judge.checkFailed(what, String((error as Error).message ?? error)),
  )
  const found = await within(longestMs, unlessStopped(stop, checked))
  return found === 'late' ? judge.checkFailed(what, `it takes longer than ${longestMs / 1000} s`) : found
}

/** The hubs that this machine uses; only the named one if the user names one. */
async function hubsHere({ state, cwd, env, named, ofHub }: Checked): Promise<HubHere[]> {
  const said = text(named.hub) ?? text(env.FARHAND_URL)
  const own = new LocalHub(state.root)
  const token = text(named.token) ?? text(env.FARHAND_TOKEN)
  const used = [...state.links(), ...new KnownRuns(state.root).all()]
  const tokenOf = (url: string) =>
    token ??
    (used.find((one) => one.url === url)?.token || state.tokens.of(url)) ??
    (own.note?.urls.includes(url) ? own.note.token : null)
  const hubAt = (url: string, given: string | null = tokenOf(url), hasData = false): HubHere => ({
    ...{ url, hasData },
    ...(given !== null && { token: given }),
  })
  if (said !== null) {
    const { origin, pathname, hash } = URL.canParse(said)
      ? new URL(said)
      : { origin: said, pathname: '', hash: '' }
    const url = origin + pathname.replace(/\/+$/, '')
    return [hubAt(url, /^#token=(.+)$/.exec(hash)?.[1])]
  }
  const local = await hubOfDataFolder(path.resolve(cwd, text(env.FARHAND_DATA) ?? '.farhand'), ofHub.data)
  // The local hub's earlier addresses are out of date; and a local hub that is down is started when it is needed.
  const before = new Set(own.note?.urls ?? [])
  const others = [...used.map(({ url }) => url), ...state.tokens.urls()].filter((url) => !before.has(url))
  const urls = [local, own.running?.url, ...others].filter((url) => url != null)
  return [...new Set(urls)].map((url) => hubAt(url, tokenOf(url), url === local))
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)

function lookAtKeychain(machine: Checked) {
  const keychain = userKeychain(machine.state.root, machine)
  return keychain === null ? 'none' : keychain.works() ? 'works' : 'silent'
}

async function checkPort(stop: AbortSignal): Promise<judge.Finding> {
  const holder = await portHolder(usualPort)
  if (holder === null) return judge.judgePort(usualPort, null, false)
  const facts = await lookAtHub({ url: `http://127.0.0.1:${usualPort}` }, stop)
  return judge.judgePort(usualPort, holder, facts.speaks !== null)
}

const agentsThatWork = (machine: Checked) =>
  localAgents(machine.state.root, machine)
    .filter(({ entry, is }) => (is === 'usable' || is === 'maybe') && entry.id !== 'rehearsal')
    .map(({ entry, is }) => (is === 'maybe' ? `${entry.id} (if signed in)` : entry.id))

const foldersOf = (state: StateFolder) =>
  countFolders(
    state.links().map(({ folder }) => folder),
    AbortSignal.timeout(longestMs / 3),
  )

async function checkDevice({ state, version, call }: Checked): Promise<judge.Finding> {
  const says = await askDevice(state.root, { ask: 'hello' })
  const links = state.links().length
  const device = says && { version: says.version, pid: says.pid, folders: links }
  return judge.judgeDevice(device, version, links, call)
}
