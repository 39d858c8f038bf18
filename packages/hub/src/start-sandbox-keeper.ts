import { availableParallelism, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { event } from '@farhand/protocol/events/event-names'
import type { AvailableAgents } from '@farhand/protocol/schemas/available-agents'
import type { RunId, UserId } from '@farhand/protocol/wire/ids'
import type { Logger } from 'pino'
import { countUsers, isOnlyUser, roleOf } from './access/users.ts'
import type { HubConfig } from './config/hub-config.ts'
import type { HubParts } from './http/hub-parts/hub-parts.ts'
import type { HubServer } from './http/server.ts'
import type { Terms } from './lifecycle/decide.ts'
import type { Equipment } from './lifecycle/equipment.ts'
import { defaultShare } from './lifecycle/fair-share.ts'
import { Keeper } from './lifecycle/keeper.ts'
import { type AskedOf, LocalPlacement } from './lifecycle/local-placement.ts'
import type { RunRules } from './lifecycle/run-rules.ts'
import type { EventLog } from './log/event-log.ts'
import type { OwnedRun } from './runs/run-directory.ts'
import { BubblewrapSandboxHost } from './sandboxes/bubblewrap-sandbox-host.ts'
import { ProcessSandboxHost } from './sandboxes/process-sandbox-host.ts'
import type { SandboxHost } from './sandboxes/sandbox-host.ts'

type SandboxKeeperParts = Pick<HubParts, 'config' | 'db' | 'secret' | 'vault' | 'readers' | 'logger'> & {
  log: EventLog
  equipment: Equipment
  url: string
  /** How many connections all sandboxes may have together. */
  mostConnections: number
  take: HubServer['take']
}

export type RunningSandboxKeeper = Pick<
  HubParts,
  'whyNoSandbox' | 'refusal' | 'wrongClone' | 'agentsHere'
> & {
  keeper: Keeper
  stop(): Promise<void>
  close(): Promise<void>
}

/** The keeper for the other parts of the hub, which ask it also before it has started, and where there are no sandboxes. */
export const keeperOnceStarted = (keeping: () => RunningSandboxKeeper | null) => ({
  has: (run: RunId) => keeping()?.keeper.has(run) ?? false,
  runnerCame: (run: RunId) => keeping()?.keeper.runnerCame(run),
  runnerLeft: (run: RunId) => keeping()?.keeper.runnerLeft(run),
  look: (run: RunId) => keeping()?.keeper.look(run),
  moved: (run: RunId, generation: number) => keeping()?.keeper.moved(run, generation),
  whyNoSandbox: async (run: OwnedRun) => await (keeping()?.whyNoSandbox(run) ?? 'This hub has no sandboxes.'),
  refusal: async (asked: AskedOf) => (await keeping()?.refusal(asked)) ?? null,
  wrongClone: async (asked: AskedOf & Pick<OwnedRun, 'project'>) =>
    (await keeping()?.wrongClone(asked)) ?? null,
  agentsHere: async (user: UserId): Promise<AvailableAgents> =>
    (await keeping()?.agentsHere(user)) ?? { agents: [], sandboxes: [], usual: 'none' },
})

const minuteMs = 60_000
const megabyte = 1024 * 1024
/** Typical memory of a sandbox whose agent waits for its model, which agents do most of the time. */
const usualMb = 400
const sandboxesPerCore = 8

/** Starts the keeper, which gives the hub's runs their sandboxes. */
export async function startSandboxKeeper(parts: SandboxKeeperParts): Promise<RunningSandboxKeeper> {
  const { config, db, equipment, log, logger } = parts
  const rules = rulesOf(config)
  const most = config.maxSandboxes ?? mostSandboxes()
  const ownerOf = async (user: UserId) => {
    const isOwner = (await roleOf(db, user)) === 'owner'
    return { isOwner, isOnlyUser: await isOnlyUser(db, user), getsKeys: isOwner || config.shareKeys }
  }
  const placement = new LocalPlacement({
    ...parts,
    hosts: hostsOf(config, equipment),
    socketFolders: join(resolve(config.data), 'doors'),
    kind: config.sandbox,
    rules,
    ownerOf: ({ owner }) => ownerOf(owner),
    used: (host) => void tellStrength(host, logger),
    refused: (run, { host, port }) => {
      const message = `The sandbox may not connect to ${host}:${port}: its run does not allow it.`
      const params = { level: 'warn', message, refused: { host, port } }
      const notifications = [event('console', params)]
      log
        .append(run, ({ view }) => ({
          by: { kind: 'hub' },
          notifications: view.status === 'closed' ? [] : notifications,
        }))
        .catch((err) => logger.warn({ err, run }, 'could not log a refused connection'))
    },
  })
  const keeper = new Keeper({
    ...parts,
    placement,
    now: monotonicNow,
    wall: Date.now,
    termsFor: (run) => termsOf(config, run),
    mostSandboxes: most,
    mostPerUser: async () => config.maxSandboxesPerUser ?? defaultShare(most, await countUsers(db)),
    crowdedMs: 5_000,
    awayMs: config.runnerAwayMs,
    onError: (err, run) =>
      logger.error({ err, run }, 'handling the sandbox of a run failed; it will be retried'),
  })
  await keeper.start()
  // Runs in the background: with many runs it takes a while.
  keeper.lookAtAll().catch((err) => logger.error({ err }, 'could not check all runs at the start'))
  const whyNoSandbox = async (run: OwnedRun) => {
    const found = await placement.find(run)
    return 'impossible' in found ? found.impossible : 'waits' in found ? found.waits : null
  }
  const agentsHere = async (user: UserId): Promise<AvailableAgents> => {
    const owner = await ownerOf(user)
    const kinds = await placement.kinds(owner)
    return {
      agents: equipment.agents(owner),
      sandboxes: kinds.map(({ kind, isolates, forbidden, unusable }) => ({
        kind,
        isolates,
        unusable: forbidden ?? unusable,
      })),
      usual: config.sandbox,
    }
  }
  return {
    keeper,
    whyNoSandbox,
    refusal: (asked) => placement.refusal(asked),
    wrongClone: (asked) => placement.wrongClone(asked),
    agentsHere,
    stop: () => keeper.stop(),
    close: () => placement.close(),
  }
}

/** The operator's rules for runs, from the hub's settings. */
const rulesOf = (config: HubConfig): RunRules => ({
  allowedSandboxes: config.allowedSandboxes,
  usualSandbox: config.sandbox,
  memberNetwork: config.memberNetwork,
  privateHosts: config.privateHosts,
  limits: {
    memoryMb: Math.min(config.memoryMb, Math.floor(totalmem() / megabyte)),
    processes: config.processes,
    cpus: config.cpus ?? availableParallelism(),
    diskMb: config.diskMb,
  },
  maxIdleMinutes: config.maxIdleMinutes,
})

/** Milliseconds since 1970 as of the hub's start; a change of the machine's clock does not affect it. */
const monotonicNow = () => Math.round(performance.timeOrigin + performance.now())

/** The strongest kind first. */
function hostsOf({ data }: HubConfig, { path }: Equipment): SandboxHost[] {
  const folder = join(resolve(data), 'sandboxes')
  return [
    new BubblewrapSandboxHost({ folder, secret: [resolve(data)] }),
    new ProcessSandboxHost({ folder, path }),
  ]
}

/** Logs once, for the operator, how strongly this kind of sandbox isolates. */
async function tellStrength(host: SandboxHost, logger: Logger): Promise<void> {
  const strength = await host.strength().catch((err) => `unknown: ${err}`)
  logger[host.isolates ? 'info' : 'warn']({ sandbox: host.kind, strength }, 'a kind of sandbox is in use')
}

function termsOf(config: HubConfig, { terms }: OwnedRun): Terms {
  const asked = terms?.idleMinutes ?? config.idleMinutes
  const idleMs = Math.min(asked, config.maxIdleMinutes) * minuteMs
  return {
    provisionMs: config.provisionMs,
    startMs: config.startMs,
    silentMs: config.runnerSilentMs,
    idleMs,
    restMs: 2 * minuteMs,
    askAgainMs: Math.min(minuteMs, idleMs),
    mostFailures: 3,
    failuresWithinMs: 10 * minuteMs,
    retryMs: 2_000,
  }
}

const mostSandboxes = () =>
  Math.max(
    2,
    Math.min(availableParallelism() * sandboxesPerCore, Math.floor((totalmem() * 0.75) / megabyte / usualMb)),
  )
