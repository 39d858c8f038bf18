import { existsSync } from 'node:fs'
import type { Hub } from '@farhand/client/requests/hub'
import {
  type ClosedFolder,
  isClosed,
  notAllWritten,
  openClosedFolder,
  whileOpen,
  withoutChangedHere,
} from '@farhand/device/closed-run/closed-folder'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { count } from '@farhand/device/wording/count'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { shellWord } from '@farhand/device/wording/shell-word'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenAuthor, SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { RecordedChanges } from '@farhand/sync/history/recorded-changes'
import type { HalfUndone, Undoing } from '@farhand/sync/history/undo'
import { hubTrouble } from '../command-line/errors/hub-trouble.ts'
import { withJsonErrors } from '../command-line/errors/with-json-errors.ts'
import { eventNamed, noSuchEvent } from '../command-line/options/event-named.ts'
import type { CommandContext } from '../context/command-context.ts'
import { askYesNo } from '../terminal/choice/ask-key.ts'
import { authorInWords } from '../terminal/printing/author-in-words.ts'
import { noteDeviceName } from '../terminal/printing/device-names.ts'
import { paint } from '../terminal/printing/paint.ts'
import { lookingAt } from './closed-run/looking-at.ts'
import { flagsToRepeat } from './find-run/flags-to-repeat.ts'
import { linkedRun, type RunFlags } from './find-run/linked-run.ts'
import { backInWords, leftInWords, undoneInWords } from './history/undo-in-words.ts'
import { whenInWords } from './history/when-in-words.ts'

type Flags = RunFlags & { dryRun?: unknown; show?: unknown; to?: unknown; yes?: unknown }

/** `farhand undo`: takes back the newest step of any author, or everything after an event, in every folder of the run. */
export const undoCommand = (given: string | undefined, flags: Flags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const to = flags.to === undefined ? undefined : eventOrStart(flags.to)
    const { hub, at, link, folder } = await linkedRun(flags, context, given, { changes: true })
    const place = { stateFolderPath: stateFolderPath(flags.state, context), isLinked: link !== null }
    const { planUndo } = await import('@farhand/sync/history/undo')
    const named = given === undefined ? '' : ` ${shellWord(given)}`
    const again = `${context.called.farhand} undo${named}${flagsToRepeat(flags)}`
    const whole = `${again}${to === undefined ? '' : ` --to ${to}`}`
    const tell = (error: unknown) => {
      throw halfUndone(error, to, again) ?? hubTrouble(error, hub.url, context) ?? error
    }
    const names = new Map<string, string>()
    let newest = 0
    const onEvent = (event: SeenEvent) => {
      newest = event.id
      noteDeviceName(names, event)
    }
    const planned = await planUndo(hub, at, { to, signal: context.stop, patienceMs, onEvent }).catch(tell)
    if (to !== undefined && to > newest)
      throw noSuchEvent(
        to,
        newest,
        `\`${context.called.farhand} history <path>\` lists the events of a file.`,
      )
    if (!planned) {
      if (flags.json)
        return context.out(
          `${JSON.stringify({ ...nothing, dryRun: flags.dryRun === true || flags.show === true })}\n`,
        )
      return context.out('There is nothing to undo.\n')
    }
    const wasClosed = await isClosed({ hub, at }, context).catch(tell)
    const local =
      wasClosed && folder !== null && existsSync(folder)
        ? await openClosedFolder({ hub, at }, { folder, ...place }, lookingAt(context))
        : null
    try {
      const plan = local ? withoutChangedHere(planned.plan, local.here) : planned.plan
      const run = { hub, at, wasClosed, local, folder }
      const by = (author: SeenAuthor | null) => authorInWords(author, link?.device, names)
      await carryOut(run, { plan, changes: planned.changes, to }, { again, whole, by, tell }, flags, context)
    } finally {
      await local?.close()
    }
  })

type Words = {
  again: string
  whole: string
  by(author: SeenAuthor | null): string
  tell(error: unknown): never
}
type Run = { hub: Hub; at: RunAddress; wasClosed: boolean; local: ClosedFolder | null; folder: string | null }
type Planned = { plan: Undoing; changes: RecordedChanges; to: number | undefined }

/** Shows what an undo would do, and does it unless the flags say otherwise; for a closed run also in its folder. */
async function carryOut(
  { hub, at, wasClosed, local, folder }: Run,
  { plan, changes: recorded, to }: Planned,
  { again, whole, by, tell }: Words,
  flags: Flags,
  context: CommandContext,
): Promise<void> {
  if (!flags.json) context.out(planInWords(plan, to, context, by))
  if (flags.show && !flags.json) {
    const { showRestoreDiff } = await import('./diff/show-restore-diff.ts')
    return await showRestoreDiff({ hub, at }, { back: plan.back, versions: recorded.versions }, context)
  }
  if (flags.dryRun || flags.show) return flags.json ? context.out(asJson(plan, true)) : undefined
  if (plan.back.length > 0 && !flags.yes) await confirm(plan, flags, context, whole)
  const { undo } = await import('@farhand/sync/history/undo')
  const act = () => undo(hub, at, { plan, changes: recorded }, { signal: context.stop })
  const done = plan.back.length > 0 ? await whileOpen({ hub, at }, wasClosed, act, context).catch(tell) : plan
  const changes = done.back.map(({ path, before, after }) => ({ path, from: after, to: before ?? null }))
  const sizeOf = (path: WorkspacePath) => recorded.versions.of(path)[0]?.size ?? 0
  const notPut = (await local?.put(changes, sizeOf)) ?? []
  if (flags.json) context.out(asJson(done, false))
  else context.out(doneInWords(done, plan, again))
  const trouble = folder === null ? null : notAllWritten(notPut, folder)
  if (trouble) throw trouble
  if (wasClosed && !local && !flags.json && done.back.length > 0)
    context.note(
      `The run is closed, and no folder here has its files: \`${context.called.farhand} pull ${runInWords(at.run)}\` brings them.\n`,
    )
}

/** 0 is allowed: before the first event there were no files. */
const eventOrStart = (given: unknown) => (String(given) === '0' ? 0 : eventNamed('--to', given))

function halfUndone(error: unknown, to: number | undefined, again: string): Trouble | null {
  const { name, message, eventIds } = error as Partial<HalfUndone>
  const first = name === 'HalfUndone' ? eventIds?.[0] : undefined
  if (first === undefined) return null
  const next =
    to === undefined
      ? `\`${again} --to ${first - 1}\` takes this half back; \`${again}\` then begins anew.`
      : `\`${again} --to ${to}\` goes on.`
  return new Trouble('failed', `Only a part was undone: ${message}.`, next, error)
}

/** Asks before more than half of the files are deleted: the user may be undoing the first sync by mistake. */
async function confirm(plan: Undoing, flags: Flags, context: CommandContext, again: string): Promise<void> {
  const deleted = plan.back.filter(({ before }) => before === null).length
  if (deleted < 2 || deleted * 2 <= plan.files) return
  const says =
    deleted === plan.files
      ? `This deletes all ${count(plan.files, 'file')} of the run, perhaps those it began with.`
      : `This deletes ${deleted.toLocaleString('en')} of ${count(plan.files, 'file')} of the run.`
  if (!flags.json && (await askYesNo(`${says} Go on? [y/N] `, context))) return
  const next = `Nothing was changed. \`${again} --yes\` goes on, \`${again} --dry-run\` only looks.`
  throw new Trouble('mustAsk', says, next)
}

function planInWords(
  { step, back, leftAlone }: Undoing,
  to: number | undefined,
  context: CommandContext,
  named: (by: SeenAuthor | null) => string,
): string {
  const { bold } = paint(context.color)
  const title = step
    ? `What was done ${whenInWords(new Date(step.atMs).toISOString(), new Date())} by ${named(step.by)}`
    : `Everything since event ${to}`
  return `${bold(title)}\n${backInWords(back, context)}${leftInWords(leftAlone)}`
}

function doneInWords(done: Undoing, plan: Undoing, again: string): string {
  const crossed = done.leftAlone.slice(plan.leftAlone.length)
  const first = done.eventIds[0]
  const back = first ? ` To undo this: ${again} --to ${first - 1}` : ''
  return `${leftInWords(crossed)}${undoneInWords(done.back)}.${back}\n`
}

const nothing = { undoes: null, back: [], leftAlone: [], eventIds: [] }

function asJson({ step, undoes, back, leftAlone, eventIds }: Undoing, dryRun: boolean): string {
  const paths = back.map(({ path, before, after }) => ({ path, from: after, to: before }))
  return `${JSON.stringify({ undoes, by: step?.by ?? null, back: paths, leftAlone, eventIds, dryRun })}\n`
}
