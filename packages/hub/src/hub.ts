import { pino } from 'pino'
import { FailedAttempts } from './access/failed-attempts.ts'
import { PasswordAttempts } from './access/password-attempts.ts'
import { PasswordHasher } from './access/passwords/password-hasher.ts'
import { SignIn } from './access/sign-in.ts'
import { makeOwnersCode } from './access/sign-in-codes.ts'
import { ensureOwner } from './access/users.ts'
import { TaskFolds } from './collab/task-folds.ts'
import type { HubConfig } from './config/hub-config.ts'
import { takeDataFolder } from './data-folder.ts'
import type { HubParts } from './http/hub-parts/hub-parts.ts'
import { Metrics } from './http/hub-parts/metrics.ts'
import { WebApp, type WebAppSource } from './http/hub-parts/web-app.ts'
import type { HubServer } from './http/server.ts'
import { InlineContentSubscribers } from './http/streams/inline-content-subscribers.ts'
import { OpenStreams } from './http/streams/open-streams.ts'
import type { Equipment } from './lifecycle/equipment.ts'
import { LoggerOutput } from './logger-output.ts'
import { openRequests } from './open-requests.ts'
import { openSchedules } from './open-schedules.ts'
import { openServer } from './open-server.ts'
import { openStores } from './open-stores.ts'
import { openRuns } from './runs/open-runs.ts'
import { startNotifications } from './start-notifications.ts'
import { keeperOnceStarted, type RunningSandboxKeeper, startSandboxKeeper } from './start-sandbox-keeper.ts'

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

/** Wrong tokens per minute from one address. */
const mostWrongTokens = 60
const minuteMs = 60_000
const hourMs = 60 * minuteMs

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
  const folder = await takeDataFolder(config.data)
  const undo: (() => unknown)[] = [() => folder.release()]
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
  { source, command }: { source: WebAppSource | undefined; command: string },
  undo: (() => unknown)[],
): Promise<RunningHub> {
  const output = new LoggerOutput(2)
  const logger = pino({ level: config.logLevel }, output)
  undo.push(() => output.close())
  const stores = await openStores(config, logger, undo)
  const { db, secret } = stores
  let keeping: RunningSandboxKeeper | null = null
  const keeper = keeperOnceStarted(() => keeping)
  const runs = openRuns({ ...stores, config, logger, keeper }, undo)
  const notifications = await startNotifications({ ...stores, config, logger }, undo)
  const schedules = openSchedules({ config, logger, ...stores, ...runs, ...notifications, ...keeper }, undo)
  let ready = true
  const metrics = new Metrics()
  const passwords = new PasswordHasher()
  undo.push(() => passwords.close())
  const requests = openRequests({ ...stores, ...runs, ...keeper, logger }, undo)
  const parts: Omit<HubParts, 'urls'> = {
    ...{ config, logger, command, metrics, ...stores, ...runs, ...notifications, ...keeper, schedules },
    collab: requests.collab,
    signIn: new SignIn(db, secret, command, config.sessionHours * hourMs),
    failedCodes: new FailedAttempts(),
    failedTokens: new FailedAttempts(mostWrongTokens),
    failedPasswords: { byUser: new PasswordAttempts(15 * minuteMs), byAddress: new PasswordAttempts(hourMs) },
    passwords,
    web: new WebApp(source, command),
    streams: new OpenStreams(metrics.readers),
    inlineSubscribers: new InlineContentSubscribers(),
    taskFolds: new TaskFolds(stores.log),
    ready: () => ready,
  }
  await runs.closer.start()
  const server = await openServer(parts, undo)
  const [url] = server.urls()
  // Last: a token made by a start that fails afterwards would never be shown.
  const owner = await ensureOwner(db, new Date())
  if (equipment) {
    const { take, mostFromSandboxes: mostConnections } = server
    keeping = await startSandboxKeeper({ ...parts, equipment, url, take, mostConnections })
    undo.push(() => keeping?.close())
    undo.push(() => keeping?.stop())
  }
  await requests.start()

  // Last: what it starts needs the sandbox keeper.
  schedules.start()

  const stop = async () => {
    ready = false
    await schedules.stop()
    // First: the runners are told to reconnect below, and the closer must not take that for their end.
    runs.closer.stop()
    await keeping?.stop()
    // Runners in sandboxes reconnect again and again, and each connection would delay the stop.
    await keeping?.close()
    await server.stop()
    for (const step of undo.reverse()) await step()
  }
  let stopped: Promise<void> | undefined
  return {
    url,
    ownerToken: owner?.token ?? null,
    signInCode: () => makeOwnersCode(db, new Date()),
    take: server.take,
    sandboxes: () => keeping?.keeper.count ?? 0,
    stop: () => (stopped ??= stop()),
  }
}
