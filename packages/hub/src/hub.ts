import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import { openSecret } from './access/secret.ts'
import { SignIn } from './access/sign-in.ts'
import { ensureOwner } from './access/users.ts'
import { openDiskBlobStore } from './blobs/disk-blob-store.ts'
import type { HubConfig } from './config.ts'
import { Metrics } from './http/metrics.ts'
import type { Rooms } from './http/rooms.ts'
import { makeServer } from './http/server.ts'
import { SseStream } from './http/sse.ts'
import { openFileEventLog } from './log/file-event-log.ts'
import { Audiences } from './log/follow.ts'
import { Closer } from './runs/closer.ts'
import { RunDirectory } from './runs/run-directory.ts'
import { lockData } from './store/data-lock.ts'
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

export type RunningHub = { url: string; ownerToken: string | null; stop(): Promise<void> }

const stopWithinMs = 10_000
const ticksPerKeepAlive = 5

/** Starts a hub on its data folder; resolves once it answers. */
export async function startHub(config: HubConfig): Promise<RunningHub> {
  await mkdir(config.data, { recursive: true, mode: 0o700 })
  const address = join(config.data, 'hub.json')
  const lock = lockData(config.data)
  if (lock === 'taken') {
    const { url, pid } = await readFile(address, 'utf8').then(JSON.parse, () => ({}))
    throw new AlreadyRunning(url ?? null, pid ?? null)
  }
  const undo: (() => unknown)[] = [() => lock.release()]
  try {
    const hub = await open(config, undo)
    await writeFile(address, JSON.stringify({ url: hub.url, pid: process.pid }))
    undo.push(() => rm(address, { force: true }))
    return hub
  } catch (error) {
    for (const step of undo.reverse()) await step()
    throw error
  }
}

/** Opens the rooms from the bottom up; `undo` closes them again, whatever was reached. */
async function open(config: HubConfig, undo: (() => unknown)[]): Promise<RunningHub> {
  const logger = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: false, minLength: 4096 }))
  const flushLogs = setInterval(() => logger.flush(), 500).unref()
  undo.push(() => {
    clearInterval(flushLogs)
    logger.flush()
  })
  const store = await openSqliteStore(join(config.data, 'store.sqlite'))
  undo.push(() => store.close())
  const secret = await openSecret(config.data)
  const log = await openFileEventLog({ dir: join(config.data, 'logs'), logger })
  undo.push(() => log.close())
  const blobs = await openDiskBlobStore(join(config.data, 'files'))
  const sweeping = startSweeping({ db: store.db, log, blobs, logger })
  undo.push(() => sweeping.stop())

  let ready = true
  const audiences: Audiences = new Audiences(log, (run, reader) => {
    if (reader.generation !== null && !audiences.hasRunner(run, reader.generation)) closer.runnerLeft(run)
  })
  const closer = new Closer({
    db: store.db,
    log,
    audiences,
    graceMs: config.closeGraceMs,
    onError: (err) => logger.error({ err }, 'closing a run failed'),
  })
  undo.push(() => closer.stop())
  const rooms: Rooms = {
    config,
    db: store.db,
    log,
    blobs,
    audiences,
    secret,
    signIn: new SignIn(store.db, secret),
    directory: new RunDirectory(store.db),
    closer,
    metrics: new Metrics(),
    logger,
    ready: () => ready,
  }
  await closer.start()

  const { server, connections } = makeServer(rooms)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(config.port, config.host, () => resolve())
  })
  undo.push(() => server.close())
  // Only now: a token that was made by a start that then failed would never be shown.
  const owner = await ensureOwner(store.db, new Date())
  const keepAlive = setInterval(() => {
    for (const { outlet } of audiences.all())
      if (outlet instanceof SseStream) outlet.tick(ticksPerKeepAlive - 1)
  }, config.keepAliveMs / ticksPerKeepAlive)
  keepAlive.unref()

  const stop = async () => {
    ready = false
    clearInterval(keepAlive)
    const closed = new Promise((resolve) => server.close(resolve))
    for (const { outlet } of [...audiences.all()]) if (outlet instanceof SseStream) outlet.reconnect()
    // A connection that was busy when the stop began is idle once it has its answer, and then it is in the way.
    const idle = setInterval(() => connections.closeQuiet(), 20)
    const force = setTimeout(() => server.closeAllConnections(), stopWithinMs)
    await closed
    clearTimeout(force)
    clearInterval(idle)
    for (const step of undo.reverse()) await step()
  }
  return {
    url: urlOf(config, server.address() as AddressInfo),
    ownerToken: owner?.token ?? null,
    stop: once(stop),
  }
}

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
