import { mkdir, readFile, writeFile } from 'node:fs/promises'
import type { AddressInfo, Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import { FailedAttempts } from './access/failed-attempts.ts'
import { openSecret } from './access/secret.ts'
import { SignIn } from './access/sign-in.ts'
import { makeOwnersCode } from './access/sign-in-codes.ts'
import { ensureOwner } from './access/users.ts'
import { openVault } from './access/vault.ts'
import { AddressFile } from './address-file.ts'
import { openDiskBlobStore } from './blobs/disk-blob-store.ts'
import type { HubConfig } from './config/hub-config.ts'
import { descriptorLimit } from './descriptor-limit.ts'
import { connectionLimits } from './http/connections/connection-limits.ts'
import type { HubParts } from './http/hub-parts/hub-parts.ts'
import { isRunnerHealthy } from './http/hub-parts/is-runner-healthy.ts'
import { Metrics } from './http/hub-parts/metrics.ts'
import { WebApp, type WebAppSource } from './http/hub-parts/web-app.ts'
import { type HubServer, makeServer } from './http/server.ts'
import { InlineContentSubscribers } from './http/streams/inline-content-subscribers.ts'
import { OpenStreams } from './http/streams/open-streams.ts'
import { hubUrls } from './hub-urls.ts'
import type { Equipment } from './lifecycle/equipment.ts'
import type { Keeper } from './lifecycle/keeper.ts'
import { localSocketPath, openLocalSocket } from './local-socket.ts'
import { openFileEventLog } from './log/file-event-log.ts'
import { LogReaders } from './log/follow.ts'
import { LoggerOutput } from './logger-output.ts'
import { refuseIfStoreIsLost } from './lost-store.ts'
import { ActivityNotes } from './runs/activity-notes.ts'
import { Closer } from './runs/closer.ts'
import { removeHalfForks } from './runs/fork-run.ts'
import { RunChanges } from './runs/run-changes.ts'
import { RunDirectory } from './runs/run-directory.ts'
import { identityOf } from './sandboxes/processes.ts'
import { startNotifications } from './start-notifications.ts'
import { type RunningSandboxKeeper, startSandboxKeeper } from './start-sandbox-keeper.ts'
import { lockData } from './store/data-lock.ts'
import { packedPlaces } from './store/packed-places.ts'
import { recentBlobs } from './store/recent-blobs.ts'
import { openSqliteStore } from './store/sqlite-store.ts'
import { startSweeping } from './sweeping.ts'
import { unknownLogs } from './unknown-logs.ts'

/** Another hub holds this data folder. */
export class AlreadyRunning extends Error {
  readonly url: string | null
  readonly pid: number | null

  constructor(url: string | null, pid: number | null) {
    super(`a hub is already running on this data${url ? ` at ${url}` : ''}`)
    this.name = 'AlreadyRunning'
    this.url = url
    this.pid = pid
  }
}

export type RunningHub = {
  url: string
  ownerToken: string | null
  /** A code that signs the owner in, once; see W47. */
  signInCode(): Promise<string>
  /** Takes a connection from the sandbox of a run; see `makeServer`. */
  take: HubServer['take']
  /** How many sandboxes it has; they go on without it. */
  sandboxes(): number
  stop(): Promise<void>
}

const stopWithinMs = 10_000
const ticksPerKeepAlive = 5
const welcomeMs = 3000
const strangersMs = 1000
/** In a minute, from one address. */
const mostWrongTokens = 60

/**
 * Starts a hub on its data folder; resolves once it answers. Without equipment it has no sandboxes, without `web` no app.
 * `command` is what people type on this machine to call farhand; the hub tells it to everyone who opens a page.
 */
export async function startHub(
  config: HubConfig,
  equipment?: Equipment,
  web?: WebAppSource,
  command = 'farhand',
): Promise<RunningHub> {
  await mkdir(config.data, { recursive: true, mode: 0o700 })
  const lock = lockData(config.data)
  if (lock === 'taken') {
    // It only helps to find the other one: whatever is wrong with it, the other one is there.
    const known = await readFile(addressFile(config), 'utf8')
      .then(JSON.parse)
      .catch(() => ({}))
    throw new AlreadyRunning(known.url ?? null, known.pid ?? null)
  }
  const undo: (() => unknown)[] = [() => lock.release()]
  // What is in a repository is committed one day, or synced to where agents work: keys must never be. It may be there.
  await writeFile(join(config.data, '.gitignore'), '*\n', { flag: 'wx' }).catch(() => {})
  try {
    return await open(config, equipment, { source: web, command }, undo)
  } catch (error) {
    for (const step of undo.reverse()) await step()
    throw error
  }
}

/** Opens the parts from the bottom up; `undo` closes them again, whatever was reached. */
async function open(
  config: HubConfig,
  equipment: Equipment | undefined,
  web: { source: WebAppSource | undefined; command: string },
  undo: (() => unknown)[],
): Promise<RunningHub> {
  const output = new LoggerOutput(2)
  const logger = pino({ level: config.logLevel }, output)
  undo.push(() => output.close())
  const store = await openSqliteStore(join(config.data, 'store.sqlite'), () =>
    refuseIfStoreIsLost(config.data),
  )
  undo.push(() => store.close())
  recentBlobs(store.db).onTrouble = (err) =>
    logger.error({ err }, 'rows of blobs could not be written yet; their segments have them')
  const secret = await openSecret(config.data)
  const vault = await openVault(config.data, store.db, config.secretsKey)
  const log = await openFileEventLog({ dir: join(config.data, 'logs'), logger })
  undo.push(() => log.close())
  await removeHalfForks({ db: store.db, log }).catch((err) =>
    logger.error({ err }, 'what is left of a fork that was cut short could not be removed'),
  )
  const blobs = await openDiskBlobStore(join(config.data, 'files'), packedPlaces(store.db))
  undo.push(() => blobs.close())
  const strangeLogs = () => unknownLogs(store.db, join(config.data, 'logs'))
  const sweeping = startSweeping({ db: store.db, log, blobs, logger, unknownLogs: strangeLogs })
  undo.push(() => sweeping.stop())

  let ready = true
  let keeper: Keeper | null = null
  let keeping: RunningSandboxKeeper | null = null
  const readers: LogReaders = new LogReaders(log, {
    came: (run, { generation }) => {
      if (generation === null) return
      closer.runnerCame(run)
      keeper?.runnerCame(run)
      runChanges.grown(run)
    },
    left: (run, { generation }) => {
      if (generation === null || readers.hasRunner(run, generation)) return
      closer.runnerLeft(run)
      keeper?.runnerLeft(run)
      runChanges.grown(run)
    },
  })
  const closer = new Closer({
    db: store.db,
    log,
    readers,
    graceMs: config.closeGraceMs,
    awayMs: config.runnerAwayMs,
    givesSigns: (run) => keeper?.has(run) ?? false,
    onError: (err) => logger.error({ err }, 'closing a run failed'),
  })
  undo.push(() => closer.stop())
  const runChanges: RunChanges = new RunChanges({
    db: store.db,
    log,
    isHealthy: (run, generation) => isRunnerHealthy(parts, run, generation),
    onError: (err) => logger.error({ err }, 'what changed in a list of runs could not be told'),
  })
  undo.push(() => runChanges.stop())
  const { viewers, webPush, notifier, webHooks } = await startNotifications({
    config,
    db: store.db,
    log,
    logger,
  })
  undo.push(() => webPush.stop())
  undo.push(() => notifier.stop())
  undo.push(() => webHooks.stop())
  const activity = new ActivityNotes({
    db: store.db,
    log,
    onError: (err) => logger.warn({ err }, 'when a run was active last could not be noted'),
  })
  undo.push(() => activity.stop())
  // Nobody has to wait for that.
  activity.lookBack().catch((err) => logger.error({ err }, 'runs could not be looked at for their order'))
  const metrics = new Metrics()
  const parts: HubParts = {
    config,
    db: store.db,
    log,
    blobs,
    readers,
    secret,
    vault,
    signIn: new SignIn(store.db, secret, web.command),
    failedCodes: new FailedAttempts(),
    failedTokens: new FailedAttempts(mostWrongTokens),
    web: new WebApp(web.source, web.command),
    command: web.command,
    // Asked each time: a machine changes its networks while it runs.
    urls: () => hubUrls(config, (server.address() as AddressInfo).port, networkInterfaces()),
    directory: new RunDirectory(store.db),
    closer,
    metrics,
    runChanges,
    activity,
    viewers,
    webHooks,
    webPush,
    streams: new OpenStreams(metrics.readers),
    inlineSubscribers: new InlineContentSubscribers(),
    logger,
    ready: () => ready,
    look: (run) => keeper?.look(run),
    moved: (run, generation) => keeper?.moved(run, generation),
    whyNoSandbox: async (run) => (keeping ? keeping.whyNoSandbox(run) : 'This hub has no sandboxes.'),
    refusal: async (asked) => (keeping ? keeping.refusal(asked) : null),
    wrongClone: async (asked) => (keeping ? keeping.wrongClone(asked) : null),
    agentsHere: async (user) =>
      (await keeping?.agentsHere(user)) ?? { agents: [], sandboxes: [], usual: 'none' },
  }
  await closer.start()

  const limits = connectionLimits(descriptorLimit(), config.maxConnections)
  const { server, connections, take } = makeServer(parts, limits)
  const strangers = setInterval(() => connections.closeStrange(), strangersMs).unref()
  undo.push(() => clearInterval(strangers))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(config.port, config.host, () => resolve())
  })
  undo.push(() => server.close())
  // Before anybody can learn that this hub is there: whoever comes by it must not find it closed.
  const sideDoor = await sideDoorFor(
    config,
    (socket) => server.emit('connection', socket),
    limits.sideDoor,
    logger,
  )
  undo.push(() => sideDoor?.close())
  const [url] = hubUrls(config, (server.address() as AddressInfo).port, networkInterfaces())
  const address = new AddressFile(addressFile(config), (err) =>
    logger.warn(
      { err },
      'where this hub is could not be noted: those who look for it in its data folder do not find it yet',
    ),
  )
  undo.push(() => address.clear())
  const since = identityOf(process.pid)?.since ?? null
  await address.write({ url, pid: process.pid, since, sideDoor: sideDoor !== null })
  // Last: a token that was made by a start that then failed would never be shown.
  const owner = await ensureOwner(store.db, new Date())

  keeping = equipment
    ? await startSandboxKeeper({ ...parts, equipment, url, take, mostLines: limits.sandboxes })
    : null
  undo.push(() => keeping?.close())
  undo.push(() => keeping?.stop())
  keeper = keeping?.keeper ?? null

  const { streams, signIn } = parts
  const keepAlive = setInterval(
    () => streams.tick(ticksPerKeepAlive - 1),
    config.keepAliveMs / ticksPerKeepAlive,
  ).unref()
  const welcome = setInterval(
    () => streams.endRejected((token) => signIn.isGood(token)).catch(() => {}),
    welcomeMs,
  ).unref()

  const stop = async () => {
    ready = false
    clearInterval(keepAlive)
    clearInterval(welcome)
    // First: a runner that is told to come back later has not gone for good.
    closer.stop()
    await keeping?.stop()
    // Who is in a sandbox comes back again and again, and would be waited for as often.
    await keeping?.close()
    await sideDoor?.close()
    const closed = new Promise((resolve) => server.close(resolve))
    // Again and again: a request under way may become a stream, and a busy connection idle, while we wait.
    const emptying = setInterval(() => {
      streams.reconnect()
      connections.closeQuiet()
    }, 20)
    const force = setTimeout(() => server.closeAllConnections(), stopWithinMs)
    await closed
    await connections.empty()
    clearTimeout(force)
    clearInterval(emptying)
    for (const step of undo.reverse()) await step()
  }
  return {
    url,
    ownerToken: owner?.token ?? null,
    signInCode: () => makeOwnersCode(store.db, new Date()),
    take,
    sandboxes: () => keeper?.count ?? 0,
    stop: once(stop),
  }
}

/** Not every disk takes a socket; a hub that is only reached by its port is a hub, too. */
async function sideDoorFor(
  { data }: HubConfig,
  take: (socket: Socket) => void,
  most: number,
  logger: Logger,
) {
  const place = localSocketPath(data)
  if (place === null) return null
  return await openLocalSocket(place, take, most).catch((err: unknown) => {
    logger.warn(
      { err },
      `nobody can come by ${place}; a hub that was started by itself is not found without it`,
    )
    return null
  })
}

/** Where the hub of a data folder is. It helps to find it, and decides nothing. */
const addressFile = (config: HubConfig) => join(config.data, 'hub.json')

function once<Result>(act: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined
  return () => (result ??= act())
}
