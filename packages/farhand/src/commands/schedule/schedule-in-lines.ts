import { lineInWords } from '@farhand/device/wording/path-in-words'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { Occurrence, Schedule } from '@farhand/protocol/schemas/schedules'
import {
  catchUpInWords,
  dueInWords,
  occurrenceDetails,
  occurrenceStates,
  overlapInWords,
  timingInWords,
  zoneOf,
} from '@farhand/story/wording/schedule-in-words'
import type { CommandContext } from '../../context/command-context.ts'
import { paint } from '../../terminal/printing/paint.ts'
import { firstLine } from '../../terminal/printing/shown-text.ts'

type Look = Pick<CommandContext, 'color'>

/** The time zone of this machine. */
export const zoneHere = () => Intl.DateTimeFormat().resolvedOptions().timeZone

/** A schedule with all that a user wants to know of it. */
export function inLines(schedule: Schedule, here: string, { color }: Look): string[] {
  const { bold, dim, yellow } = paint(color)
  const { id, name, timing, run, status, reason, next, callback, maxRuns, until } = schedule
  const zone = zoneOf(timing, here)
  const about = [
    timingInWords(timing),
    `missed due times get ${catchUpInWords[schedule.catchUp]}`,
    `a due time ${overlapInWords[schedule.overlap]}`,
    `paused after ${schedule.pauseAfter} failures in a row`,
    ...(until === null ? [] : [`until ${dueInWords(until, zone)}`]),
    ...(maxRuns === null ? [] : [`${maxRuns} runs at most`]),
    ...(callback === null ? [] : [`calls ${lineInWords(callback.url)}`]),
  ]
  return [
    `${bold(lineInWords(name))}  ${dim(id)}`,
    `  ${about[0]}; ${about.slice(1).join('; ')}`,
    `  ${run.agent ? `${lineInWords(run.agent)}: ` : ''}${firstLine(run.prompt, 100)}`,
    ...(status === 'active'
      ? [`  next: ${next.map((at) => dueInWords(at, zone)).join(', ')}`]
      : [`  ${yellow(status)}: ${lineInWords(reason ?? '')}`]),
  ]
}

/** One line for a list of schedules. */
export function inOneLine(schedule: Schedule, here: string, { color }: Look): string {
  const { bold, dim, yellow } = paint(color)
  const { id, name, timing, status, next, last } = schedule
  const when = next[0] === undefined ? yellow(status) : `next ${dueInWords(next[0], zoneOf(timing, here))}`
  const before = last ? `  ${dim(`last ${occurrenceStates[last.state]}`)}` : ''
  return `${bold(id.slice(0, idLetters))}  ${firstLine(name, 40)}  ${timingInWords(timing)}  ${when}${before}`
}

/** A line of the ledger. */
export function occurrenceInLine(of: Occurrence, zone: string, { color }: Look): string {
  const { bold, dim, red, yellow } = paint(color)
  const look = of.state === 'failed' ? red : of.state === 'missed' ? yellow : String
  const run = of.run === null ? '' : `  ${bold(runInWords(of.run))}`
  const details = occurrenceDetails(of)
  return `${dueInWords(of.dueAt, zone)}  ${look(occurrenceStates[of.state])}${run}${details && `  ${dim(lineInWords(details))}`}`
}

/** As many as tell the schedules of a user apart. */
const idLetters = 'sch_'.length + 8
