import { type KnownHere, readKnownHere } from '@farhand/device/known-here/known-here'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { withJsonErrors } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { whileWaiting } from '../../terminal/printing/while-waiting.ts'
import { wrapWords } from '../../terminal/printing/wrap-words.ts'
import { hubAccess } from '../find-run/hub-access.ts'
import { ensureUserDevice } from '../link/ensure-user-device.ts'
import { knownHereInWords } from './known-here-in-words.ts'

type StatusFlags = { state?: unknown; json?: unknown; hub?: unknown; token?: unknown }

/** `farhand status` without a run: prints the hubs, the device process, the linked folders and the open runs. */
export const machineStatus = (flags: StatusFlags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const state = new StateFolder(stateFolderPath(flags.state, context))
    const machine = await whileWaiting('asking the hubs', context, async () =>
      readKnownHere(state, {
        named: flags.hub === undefined ? null : await hubAccess(flags, state, context),
        ensureDevice: () => ensureUserDevice(state.root, context),
        stop: context.stop,
      }),
    )
    if (flags.json) context.out(`${JSON.stringify(asJson(machine))}\n`)
    else context.out(wrapWords(knownHereInWords(machine, Date.now(), context), context.columns))
  })

const asJson = ({ device, hubs, folders, runs }: KnownHere) => ({
  daemon: device && { pid: device.pid, version: device.version, since: new Date(device.since).toISOString() },
  hubs: hubs.map(({ url, isOwn, answer }) => ({ url, own: isOwn, answer })),
  folders: folders.map(({ folder, url, at, pid, now, kept, deaths, leftOut = [] }) => ({
    folder,
    hub: url,
    ...at,
    pid,
    kept: kept?.is ?? null,
    doing: now?.doing ?? null,
    since: now ? new Date(now.since).toISOString() : null,
    leftOut,
    skipped: now?.skipped?.some ?? [],
    ...(kept?.is === 'failed' && { message: kept.message, nextStep: kept.nextStep }),
    ...(deaths && { deaths: deaths.count, startsAt: new Date(deaths.nextAt).toISOString() }),
  })),
  runs: runs.map(({ hub, id, task, project, title, agent, now }) => ({
    run: id,
    task,
    project,
    hub,
    title,
    agent,
    status: now?.status ?? null,
    agentStatus: now?.agentStatus ?? null,
    questions: now?.questions ?? 0,
  })),
})
