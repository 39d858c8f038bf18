import type { Hub } from '@farhand/client/requests/hub'
import { listSchedules } from '@farhand/client/resources/schedules'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import type { Schedule } from '@farhand/protocol/schemas/schedules'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { hubTrouble } from '../../command-line/errors/hub-trouble.ts'
import { withJsonErrors } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { nameOrChoice } from '../../terminal/choice/name-or-choice.ts'
import { hubAccess } from '../find-run/hub-access.ts'
import type { ReachFlags } from '../find-run/reach-run.ts'

/** Calls `act` with the hub and all schedules of the user. */
export const withSchedules = (
  flags: ReachFlags,
  context: CommandContext,
  act: (hub: Hub, all: readonly Schedule[]) => Promise<void>,
) =>
  withJsonErrors(flags, context, async () => {
    const hub = await hubAccess(flags, new StateFolder(stateFolderPath(flags.state, context)), context)
    try {
      await act(hub, await allSchedules(hub, context.stop))
    } catch (error) {
      if (context.stop.aborted) return
      throw hubTrouble(error, hub.url, context) ?? error
    }
  })

/** Calls `act` with the schedule that the user named, by its name, its id or the beginning of it, or chose. */
export const withSchedule = (
  said: string | undefined,
  flags: ReachFlags,
  context: CommandContext,
  act: (hub: Hub, schedule: Schedule) => Promise<void>,
) =>
  withSchedules(flags, context, async (hub, all) => {
    const among = all.map(({ id, name }) => ({ name: id, says: name }))
    const none = `Make one: ${context.called.farhand} schedule add --every 1d "..."`
    const named = await nameOrChoice(said, { what: 'schedule', among, none, json: flags.json }, context)
    const found = all.filter(({ id, name }) => id === named || name === named)
    const begins = found.length > 0 ? found : all.filter(({ id }) => id.startsWith(named))
    if (begins.length === 1) return act(hub, begins[0]!)
    throw new Trouble(
      'usage',
      begins.length === 0
        ? `There is no schedule ${named}.`
        : `${named} may be any of ${begins.length} schedules.`,
      `\`${context.called.farhand} schedule list\` lists them; give the id of one.`,
    )
  })

async function allSchedules(hub: Hub, signal: AbortSignal): Promise<Schedule[]> {
  const all: Schedule[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof listSchedules>> = await listSchedules(hub, {
      ...{ signal, patienceMs },
      ...(cursor !== '' && { cursor }),
    })
    all.push(...page.items)
    cursor = page.next
  }
  return all
}
