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
import { type HubParts, isRunnerHealthy } from './http/hub-parts/hub-parts.ts'
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
  /** Makes a code that signs the owner in once (W47). */
  signInCode(): Promise<string>
  /** Accepts a connection from the sandbox of a run; see `makeServer`. */
  take: HubServer['take']
  /** How many sandboxes it has. They keep running when the hub stops. */
  sandboxes(): number
  stop(): Promise<void>
}

const stopWithinMs = 10_000
const ticksPerKeepAlive = 5
const welcomeMs = 3000
const strangersMs = 1000
/** Wrong tokens per minute from one address. */
const mostWrongTokens = 60

/**
 * Starts a hub on its data folder; resolves once it answers requests. Without `equipment` it has no sandboxes, without `web` no
 * web app. `command` is what users type on this machine to run farhand; the web app shows it.
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
    // The lock proves that another hub runs; a damaged file only means that its address is unknown.
    const known = await readFile(addressFile(config), 'utf8')
      .then(JSON.parse)
      .catch(() => ({}))
    throw new AlreadyRunning(known.url ?? null, known.pid ?? null)
  }
  const undo: (() => unknown)[] = [() => lock.release()]
  // The data folder may lie inside a repository: its keys must never be committed or synced. The file may exist already.
  await writeFile(join(config.data, '.gitignore'), '*\n', { flag: 'wx' }).catch(() => {})
  try {
    return await open(config, equipment, { source: web, command }, undo)
  } catch (error) {
    for (const step of undo.reverse()) await step()
    throw error
  }
}

/** Opens the stores first and the server last. `undo` collects how to close each part again, also after a failed start. */
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
    logger.error({ err }, 'rows of blobs could not be written yet; their segments hold the same data')
  const secret = await openSecret(config.data)
  const vault = await openVault(config.data, store.db, config.secretsKey)
  const log = await openFileEventLog({ dir: join(config.data, 'logs'), logger })
  undo.push(() => log.close())
  await removeHalfForks({ db: store.db, log }).catch((err) =>
    logger.error({ err }, 'could not remove what an interrupted fork left behind'),
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
    onError: (err) => logger.error({ err }, 'could not send a change to the lists of runs'),
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
    onError: (err) => logger.warn({ err }, 'could not record when a run was last active'),
  })
  undo.push(() => activity.stop())
  // Runs in the background: the start does not depend on it.
  activity.lookBack().catch((err) => logger.error({ err }, 'could not check when runs were last active'))
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
    // Computed on each call: a machine changes its networks while it runs.
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
  // Before `hub.json` is written: a process that finds the hub there must find the local socket open.
  const localSocket = await localSocketFor(
    config,
    (socket) => server.emit('connection', socket),
    limits.localSocket,
    logger,
  )
  undo.push(() => localSocket?.close())
  const [url] = hubUrls(config, (server.address() as AddressInfo).port, networkInterfaces())
  const address = new AddressFile(addressFile(config), (err) =>
    logger.warn(
      { err },
      'could not write hub.json: processes that look for this hub in its data folder do not find it yet',
    ),
  )
  undo.push(() => address.clear())
  const since = identityOf(process.pid)?.since ?? null
  await address.write({ url, pid: process.pid, since, sideDoor: localSocket !== null })
  // Last: a token made by a start that fails afterwards would never be shown.
  const owner = await ensureOwner(store.db, new Date())

  keeping = equipment
    ? await startSandboxKeeper({ ...parts, equipment, url, take, mostConnections: limits.sandboxes })
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
    // First: the runners are told to reconnect below, and the closer must not take that for their end.
    closer.stop()
    await keeping?.stop()
    // Runners in sandboxes reconnect again and again, and each connection would delay the stop.
    await keeping?.close()
    await localSocket?.close()
    const closed = new Promise((resolve) => server.close(resolve))
    // Repeated: while we wait, a request may turn into a stream, and a busy connection may become idle.
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

/** Not every file system allows sockets. Without one, the hub is still reachable by its port. */
async function localSocketFor(
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
      `could not open the local socket ${place}; commands of this user cannot use it to reach the hub`,
    )
    return null
  })
}

const addressFile = (config: HubConfig) => join(config.data, 'hub.json')

function once<Result>(act: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined
  return () => (result ??= act())
}
