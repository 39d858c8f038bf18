import {
  changeSchedule,
  deleteSchedule,
  listOccurrences,
  runScheduleNow,
} from '@farhand/client/resources/schedules'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { zoneOf } from '@farhand/story/wording/schedule-in-words'
import type { CommandContext } from '../../context/command-context.ts'
import type { ReachFlags } from '../find-run/reach-run.ts'
import { inLines, inOneLine, occurrenceInLine, zoneHere } from './schedule-in-lines.ts'
import { withSchedule, withSchedules } from './with-schedule.ts'

type Said = string | undefined

const optionsOf = ({ stop }: CommandContext) => ({ signal: stop, patienceMs })
const json = (value: unknown) => `${JSON.stringify(value)}\n`

/** `farhand schedule list`: lists the schedules of the user, newest first. */
export const listSchedulesCommand = (flags: ReachFlags, context: CommandContext) =>
  withSchedules(flags, context, async (_, all) => {
    if (flags.json) return context.out(all.map(json).join(''))
    if (all.length === 0)
      return context.out(
        `There are no schedules. Make one: ${context.called.farhand} schedule add --cron "0 9 * * 1-5" "..."\n`,
      )
    for (const schedule of all) context.out(`${inOneLine(schedule, zoneHere(), context)}\n`)
  })

/** `farhand schedule show`: shows a schedule and when it is due next. */
export const showScheduleCommand = (said: Said, flags: ReachFlags, context: CommandContext) =>
  withSchedule(said, flags, context, async (_, schedule) => {
    if (flags.json) return context.out(json(schedule))
    context.out(`${inLines(schedule, zoneHere(), context).join('\n')}\n`)
    const { last, timing } = schedule
    if (last) context.out(`  last: ${occurrenceInLine(last, zoneOf(timing, zoneHere()), context)}\n`)
  })

/** `farhand schedule pause` and `resume`. */
export const pauseScheduleCommand = (
  said: Said,
  isPaused: boolean,
  flags: ReachFlags,
  context: CommandContext,
) =>
  withSchedule(said, flags, context, async (hub, { id }) => {
    const changed = await changeSchedule(hub, id, { isPaused }, optionsOf(context))
    if (flags.json) return context.out(json(changed))
    context.out(`${inLines(changed, zoneHere(), context).join('\n')}\n`)
  })

/** `farhand schedule run`: makes a schedule due now. */
export const runScheduleCommand = (said: Said, flags: ReachFlags, context: CommandContext) =>
  withSchedule(said, flags, context, async (hub, { id, name }) => {
    const due = await runScheduleNow(hub, id, optionsOf(context))
    if (flags.json) return context.out(json(due))
    const { farhand } = context.called
    context.note(
      `${name} is due now. \`${farhand} schedule history ${id.slice(0, 12)}\` says what becomes of it.\n`,
    )
  })

/** `farhand schedule remove`: deletes a schedule; its runs stay. */
export const removeScheduleCommand = (said: Said, flags: ReachFlags, context: CommandContext) =>
  withSchedule(said, flags, context, async (hub, { id, name }) => {
    await deleteSchedule(hub, id, optionsOf(context))
    if (flags.json) return context.out(json({ event: 'removed', schedule: id, name }))
    context.note(`${name} is removed. Its runs stay, also the one that is at work.\n`)
  })

/** `farhand schedule history`: shows what became of each due time, the newest first. */
export const scheduleHistoryCommand = (
  said: Said,
  flags: ReachFlags & { all?: unknown },
  context: CommandContext,
) =>
  withSchedule(said, flags, context, async (hub, { id, name, timing }) => {
    const zone = zoneOf(timing, zoneHere())
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Awaited<ReturnType<typeof listOccurrences>> = await listOccurrences(hub, id, {
        ...optionsOf(context),
        ...(cursor !== '' && { cursor }),
      })
      if (cursor === '' && page.items.length === 0 && !flags.json)
        return context.out(`${name} was not due yet.\n`)
      for (const of of page.items)
        context.out(flags.json ? json(of) : `${occurrenceInLine(of, zone, context)}\n`)
      if (page.next !== null && !flags.all) {
        if (!flags.json) context.out('and older ones: --all shows them\n')
        return
      }
      cursor = page.next
    }
  })
