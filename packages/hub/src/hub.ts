import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import { openSecret } from './access/secret.ts'
import { SignIn } from './access/sign-in.ts'
import { ensureOwner } from './access/users.ts'
import { openVault } from './access/vault.ts'
import { openDiskBlobStore } from './blobs/disk-blob-store.ts'
import type { HubConfig } from './config.ts'
import { Companions } from './http/companions.ts'
import { Metrics } from './http/metrics.ts'
import type { Rooms } from './http/rooms.ts'
import { type HubServer, makeServer } from './http/server.ts'
import { Streams } from './http/streams.ts'
import { type Keeping, startKeeping } from './keeping.ts'
import type { Equipment } from './lifecycle/equipment.ts'
import type { Keeper } from './lifecycle/keeper.ts'
import { openFileEventLog } from './log/file-event-log.ts'
import { Audiences } from './log/follow.ts'
import { Closer } from './runs/closer.ts'
import { removeHalfForks } from './runs/fork-run.ts'
import { RunDirectory } from './runs/run-directory.ts'
import { lockData } from './store/data-lock.ts'
import { packedPlaces } from './store/packed-places.ts'
import { recentBlobs } from './store/recent-blobs.ts'
import { openSqliteStore } from './store/sqlite-store.ts'
import { startSweeping } from './sweeping.ts'

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
  /** Takes a connection from the sandbox of a run; see `makeServer`. */
  take: HubServer['take']
  /** How many sandboxes it has; they go on without it. */
  sandboxes(): number
  stop(): Promise<void>
}

const stopWithinMs = 10_000
const ticksPerKeepAlive = 5
const welcomeMs = 3000

/** Starts a hub on its data folder; resolves once it answers. Without equipment it has no sandboxes. */
export async function startHub(config: HubConfig, equipment?: Equipment): Promise<RunningHub> {
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
    return await open(config, equipment, undo)
  } catch (error) {
    for (const step of undo.reverse()) await step()
    throw error
  }
}

/** Opens the rooms from the bottom up; `undo` closes them again, whatever was reached. */
async function open(
  config: HubConfig,
  equipment: Equipment | undefined,
  undo: (() => unknown)[],
): Promise<RunningHub> {
  const address = addressFile(config)
  const logger = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: false, minLength: 4096 }))
  const flushLogs = setInterval(() => logger.flush(), 500).unref()
  undo.push(() => {
    clearInterval(flushLogs)
    logger.flush()
  })
  const store = await openSqliteStore(join(config.data, 'store.sqlite'))
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
  const sweeping = startSweeping({ db: store.db, log, blobs, logger })
  undo.push(() => sweeping.stop())

  let ready = true
  let keeper: Keeper | null = null
  let keeping: Keeping | null = null
  const audiences: Audiences = new Audiences(log, {
    came: (run, { generation }) => {
      if (generation === null) return
      closer.runnerCame(run)
      keeper?.runnerCame(run)
    },
    left: (run, { generation }) => {
      if (generation === null || audiences.hasRunner(run, generation)) return
      closer.runnerLeft(run)
      keeper?.runnerLeft(run)
    },
  })
  const closer = new Closer({
    db: store.db,
    log,
    audiences,
    graceMs: config.closeGraceMs,
    awayMs: config.runnerAwayMs,
    onError: (err) => logger.error({ err }, 'closing a run failed'),
  })
  undo.push(() => closer.stop())
  const metrics = new Metrics()
  const rooms: Rooms = {
    config,
    db: store.db,
    log,
    blobs,
    audiences,
    secret,
    vault,
    signIn: new SignIn(store.db, secret),
    directory: new RunDirectory(store.db),
    closer,
    metrics,
    streams: new Streams(metrics.readers),
    companions: new Companions(),
    logger,
    ready: () => ready,
    look: (run) => keeper?.look(run),
    moved: (run, generation) => keeper?.moved(run, generation),
    whyNoSandbox: async (run) => (keeping ? keeping.whyNoSandbox(run) : 'This hub has no sandboxes.'),
  }
  await closer.start()

  const { server, connections, take } = makeServer(rooms)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(config.port, config.host, () => resolve())
  })
  undo.push(() => server.close())
  const url = urlOf(config, server.address() as AddressInfo)
  await writeFile(address, JSON.stringify({ url, pid: process.pid }))
  undo.push(() => rm(address, { force: true }))
  // Last: a token that was made by a start that then failed would never be shown.
  const owner = await ensureOwner(store.db, new Date())

  keeping = equipment ? await startKeeping({ ...rooms, equipment, url, take }) : null
  undo.push(() => keeping?.close())
  undo.push(() => keeping?.stop())
  keeper = keeping?.keeper ?? null

  const { streams, signIn } = rooms
  const keepAlive = setInterval(
    () => streams.tick(ticksPerKeepAlive - 1),
    config.keepAliveMs / ticksPerKeepAlive,
  ).unref()
  const welcome = setInterval(
    () => streams.endUnwelcome((token) => signIn.isGood(token)).catch(() => {}),
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
    take,
    sandboxes: () => keeper?.count ?? 0,
    stop: once(stop),
  }
}

/** Where the hub of a data folder is. It helps to find it, and decides nothing. */
const addressFile = (config: HubConfig) => join(config.data, 'hub.json')

function urlOf(config: HubConfig, { port }: AddressInfo): string {
  if (config.publicUrl) return config.publicUrl
  const anywhere = config.host === '0.0.0.0' || config.host === '::'
  const host = anywhere ? '127.0.0.1' : config.host.includes(':') ? `[${config.host}]` : config.host
  return `http://${host}:${port}`
}

function once<Result>(act: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined
  return () => (result ??= act())
}
