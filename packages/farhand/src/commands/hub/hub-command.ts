import path from 'node:path'
import { dataTrouble, folderGone, openDataFolder } from '@farhand/device/local-hub/data-folder'
import { portHolder } from '@farhand/device/local-hub/port-holder'
import { Trouble } from '@farhand/device/trouble/trouble'
import { HubConfig } from '@farhand/hub/config/hub-config'
import { within } from '@farhand/kit/within'
import { settle } from '../../command-line/options/settings.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { publicCommandName } from '../../context/command-names.ts'
import { paint } from '../../terminal/printing/paint.ts'
import { greeting } from './hub-greeting.ts'

const patienceMs = 3_000

/** `farhand hub`: runs a hub until it is stopped; appends in flight are finished before this resolves. */
export async function hubCommand(
  flags: Readonly<Record<string, unknown>>,
  context: CommandContext,
): Promise<void> {
  // On a terminal the user wants to read the greeting and then warnings, not a line for each request.
  const quieter = context.terminal ? { FARHAND_LOG_LEVEL: 'warn' } : {}
  const config = settle(HubConfig, flags, { ...quieter, ...context.env }, `${context.called.hub} --help`)
  openDataFolder(config.data)
  const { startHub } = await import('@farhand/hub/hub')
  const { AlreadyRunning } = await import('@farhand/hub/data-folder')
  const { sandboxEquipment } = await import('@farhand/device/installed-agents/sandbox-equipment')
  const { webSource } = await import('../up/web-source.ts')
  const command = publicCommandName(context.called.farhand)
  const equipment = sandboxEquipment({ ...context, secretSet: `${context.called.farhand} secret set` })
  const starts = startHub(config, equipment, webSource, command)
  const hub = await starts.catch(async (error: unknown) => {
    if (error instanceof AlreadyRunning) throw alreadyRunning(config, error)
    throw await listenTrouble(config, error)
  })
  const { url, ownerToken } = hub
  const data = path.resolve(config.data)
  if (flags.json) context.out(`${JSON.stringify({ url, token: ownerToken })}\n`)
  else
    context.out(
      greeting({ url, ownerToken, data, code: await codeOf(hub) }, context.called, paint(context.color)),
    )
  const isGone = await Promise.race([
    stopRequest(context.stop).then(() => false),
    folderGone(data, context.stop).then(() => true),
  ])
  if (isGone) throw await lostData(data, hub)
  if (!flags.json) context.note(`${goOn(hub.sandboxes())}Stopping; Ctrl-C again stops at once.\n`)
  await hub.stop()
}

/** A sign-in code; null if it cannot be stored: a hub on a full disk can still be read. */
const codeOf = (hub: { signInCode(): Promise<string> }) => hub.signInCode().catch(() => null)

/** Stops a hub whose data folder is gone: it could not store anything any more. */
async function lostData(data: string, hub: { stop(): Promise<void> }): Promise<Trouble> {
  // The hub may fail to write while it stops.
  const stopped = hub.stop().catch(() => {})
  await within(patienceMs, stopped)
  return new Trouble(
    'failed',
    `The data folder ${data} is gone.`,
    'Put it back, or a copy of it, and start the hub again.',
  )
}

const goOn = (sandboxes: number) =>
  sandboxes > 0
    ? `${sandboxes} ${sandboxes > 1 ? 'sandboxes go' : 'sandbox goes'} on without the hub; the next one on this data takes over.\n`
    : ''

function stopRequest(stop: AbortSignal): Promise<void> {
  if (stop.aborted) return Promise.resolve()
  return new Promise((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }))
}

function alreadyRunning(
  config: HubConfig,
  running: Error & { url: string | null; pid: number | null },
): Trouble {
  const who = running.pid === null ? '' : ` (process ${running.pid})`
  const where = running.url === null ? '' : ` at ${running.url}`
  return new Trouble(
    'alreadyRunning',
    `A hub is already running${where}${who} on ${path.resolve(config.data)}.`,
    'Use that one, stop it first, or give this one another folder with --data.',
    running,
  )
}

async function listenTrouble(config: HubConfig, error: unknown): Promise<unknown> {
  const code = (error as NodeJS.ErrnoException).code
  const { LostStore } = await import('@farhand/hub/lost-store')
  if (error instanceof LostStore) return new Trouble('failed', error.message, error.nextStep, error)
  const at = `${config.host}:${config.port}`
  if (code === 'EADDRINUSE') {
    const holder = await portHolder(config.port)
    const message = `Port ${config.port} is taken${holder ? ` by ${holder}` : ''}.`
    return new Trouble(
      'portTaken',
      message,
      'Use another one with --port, or any free one with --port 0.',
      error,
    )
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new Trouble(
      'usage',
      `This machine has no address ${config.host}.`,
      'Use --host 127.0.0.1, or 0.0.0.0 for all.',
      error,
    )
  }
  if (code === 'EACCES' && (error as NodeJS.ErrnoException).syscall === 'listen') {
    return new Trouble(
      'failed',
      `Listening on ${at} is not allowed.`,
      'Ports below 1024 need special rights; use --port 7717.',
      error,
    )
  }
  return dataTrouble(path.resolve(config.data), error) ?? error
}
