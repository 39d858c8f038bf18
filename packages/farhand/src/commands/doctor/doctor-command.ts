import path from 'node:path'
import type { Hub } from '@farhand/client/requests/hub'
import { userKeychain } from '@farhand/device/account/user-keychain'
import { askDevice } from '@farhand/device/device-process/call-device'
import { localAgents } from '@farhand/device/installed-agents/local-agents'
import { KnownRuns } from '@farhand/device/known-runs/known-runs'
import { hubOfDataFolder } from '@farhand/device/local-hub/hub-of-data-folder'
import { LocalHub } from '@farhand/device/local-hub/local-hub'
import { portHolder } from '@farhand/device/local-hub/port-holder'
import { viaLocalSocket } from '@farhand/device/local-hub/via-local-socket'
import {
  countFolders,
  lookAtGit,
  lookAtHub,
  lookAtState,
  mostWatches,
} from '@farhand/device/self-check/probes'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { lineInWords } from '@farhand/device/wording/path-in-words'
import { unlessStopped } from '@farhand/kit/unless-stopped'
import { within } from '@farhand/kit/within'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { withJsonErrors } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { version } from '../../context/version.ts'
import { paint } from '../../terminal/printing/paint.ts'
import { wrapWords } from '../../terminal/printing/wrap-words.ts'
import { hubData } from '../local-hub/local-hub-parts.ts'
import { lookAtDatabase, lookAtSandbox } from './hub-probes.ts'
import {
  checkFailed,
  type Finding,
  judgeAgents,
  judgeDatabase,
  judgeDevice,
  judgeGit,
  judgeHub,
  judgeNode,
  judgeNoHub,
  judgePort,
  judgeProxy,
  judgeSandbox,
  judgeState,
  judgeTerminal,
  judgeTokens,
  judgeWatches,
} from './judge.ts'

const wantedNode = '20.19'
const usualPort = 7717
const inset = 18
// All checks run at once; the slowest starts a sandbox.
const longestMs = 15_000

type Flags = { hub?: unknown; token?: unknown; state?: unknown; json?: unknown }
type Look = readonly [string, () => Promise<Finding | Finding[]>]
/** `hasData`: its data folder is that of the working folder, from which commands make themselves a token. */
type HubHere = Hub & { hasData: boolean }

/** Checks everything that runs depend on. It changes nothing, and ends within seconds. */
export const doctorCommand = (flags: Flags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const findings = (
      await Promise.all((await looks(flags, context)).map((look) => findingOf(look, context)))
    ).flat()
    // Last: asking the keychain blocks this process.
    findings.push(judgeTokens(lookAtKeychain(stateFolderPath(flags.state, context), context)))
    for (const finding of findings)
      context.out(
        flags.json ? `${JSON.stringify({ event: 'finding', ...finding })}\n` : inWords(finding, context),
      )
    const count = (is: Finding['is']) => findings.filter((finding) => finding.is === is).length
    if (!flags.json)
      context.out(`\n${count('fine')} fine, ${count('weak')} weak, ${count('broken')} broken\n`)
    const broken = findings.filter(({ is }) => is === 'broken').map(({ what }) => what)
    if (broken.length > 0)
      throw new Trouble('failed', `Broken: ${broken.join(', ')}.`, 'What to do is below each of them.')
  })

async function looks(flags: Flags, context: CommandContext): Promise<Look[]> {
  const { called, env } = context
  const place = stateFolderPath(flags.state, context)
  const state = new StateFolder(place)
  const hubs = await hubsHere(flags, state, context)
  const urls = hubs.map(({ url }) => url)
  return [
    ['farhand', async () => ({ what: 'farhand', is: 'fine', says: `Farhand ${version}`, next: null })],
    ['node', async () => judgeNode(process.versions.node, wantedNode)],
    ['git', async () => judgeGit(await lookAtGit(context.env))],
    ['state', async () => judgeState(await lookAtState(place))],
    ...hubs.map(
      (hub): Look => [
        'hub',
        async () => {
          const facts = await lookAtHub(viaLocalSocket(place, hub), context.stop)
          return judgeHub(facts, called.farhand, hub.hasData)
        },
      ],
    ),
    ...(hubs.length === 0 ? [['hub', async () => judgeNoHub()] as Look] : []),
    ['database', async () => judgeDatabase(await lookAtDatabase())],
    ['port', async () => await lookAtPort(context)],
    ['agents', async () => judgeAgents(agentsThatWork(place, context), called.farhand)],
    ['sandbox', async () => judgeSandbox(await lookAtSandbox())],
    ['watcher', async () => judgeWatches(await mostWatches(), await foldersOf(state))],
    ['daemon', async () => await lookAtDevice(place, state, context)],
    ['terminal', async () => judgeTerminal(context.terminal, context.color, env)],
    ['proxy', async () => judgeProxy(env, urls)],
  ]
}

async function findingOf([what, look]: Look, { stop }: CommandContext): Promise<Finding | Finding[]> {
  const looked = look().catch((error: unknown) =>
    checkFailed(what, String((error as Error).message ?? error)),
  )
  const found = await within(longestMs, unlessStopped(stop, looked))
  return found === 'late' ? checkFailed(what, `it takes longer than ${longestMs / 1000} s`) : found
}

/** The hubs that this machine uses; only the named one if the user names one. */
async function hubsHere(flags: Flags, state: StateFolder, context: CommandContext): Promise<HubHere[]> {
  const said = text(flags.hub) ?? text(context.env.FARHAND_URL)
  const own = new LocalHub(state.root)
  const token = text(flags.token) ?? text(context.env.FARHAND_TOKEN)
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
  const local = await hubOfDataFolder(
    path.resolve(context.cwd, text(context.env.FARHAND_DATA) ?? '.farhand'),
    hubData,
  )
  // The local hub's earlier addresses are out of date; and a local hub that is down is started when it is needed.
  const before = new Set(own.note?.urls ?? [])
  const others = [...used.map(({ url }) => url), ...state.tokens.urls()].filter((url) => !before.has(url))
  const urls = [local, own.running?.url, ...others].filter((url) => url != null)
  return [...new Set(urls)].map((url) => hubAt(url, tokenOf(url), url === local))
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)

function lookAtKeychain(place: string, context: CommandContext) {
  const keychain = userKeychain(place, context)
  return keychain === null ? 'none' : keychain.works() ? 'works' : 'silent'
}

async function lookAtPort({ stop }: CommandContext): Promise<Finding> {
  const holder = await portHolder(usualPort)
  if (holder === null) return judgePort(usualPort, null, false)
  const facts = await lookAtHub({ url: `http://127.0.0.1:${usualPort}` }, stop)
  return judgePort(usualPort, holder, facts.speaks !== null)
}

const agentsThatWork = (place: string, context: CommandContext) =>
  localAgents(place, context)
    .filter(({ entry, is }) => (is === 'usable' || is === 'maybe') && entry.id !== 'rehearsal')
    .map(({ entry, is }) => (is === 'maybe' ? `${entry.id} (if signed in)` : entry.id))

const foldersOf = (state: StateFolder) =>
  countFolders(
    state.links().map(({ folder }) => folder),
    AbortSignal.timeout(longestMs / 3),
  )

async function lookAtDevice(place: string, state: StateFolder, { called }: CommandContext): Promise<Finding> {
  const says = await askDevice(place, { ask: 'hello' })
  const links = state.links().length
  const device = says && { version: says.version, pid: says.pid, folders: links }
  return judgeDevice(device, version, links, called.farhand)
}

function inWords({ what, is, says, next }: Finding, { color, columns }: CommandContext): string {
  const { dim, red, yellow } = paint(color)
  const shade = { fine: dim, weak: yellow, broken: red }[is]
  const line = `${shade(is.padEnd(6))}  ${what.padEnd(8)}  ${lineInWords(says)}\n`
  const all = next === null ? line : `${line}${' '.repeat(inset)}${lineInWords(next)}\n`
  return wrapWords(all, columns, columns < 2 * inset ? 0 : inset)
}
