import { noteDeviceName } from '@farhand/device/linked-folders/device-names'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { count } from '@farhand/device/wording/count'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { shellWord } from '@farhand/device/wording/shell-word'
import type { SeenAuthor, SeenEvent } from '@farhand/protocol/wire/seen-event'
import type { HalfUndone, Undoing } from '@farhand/sync/history/undo'
import { hubTrouble } from '../command-line/errors/hub-trouble.ts'
import { withJsonErrors } from '../command-line/errors/with-json-errors.ts'
import { eventNamed, noSuchEvent } from '../command-line/options/event-named.ts'
import type { CommandContext } from '../context/command-context.ts'
import { askYesNo } from '../terminal/choice/ask-key.ts'
import { authorInWords } from '../terminal/printing/author-in-words.ts'
import { paint } from '../terminal/printing/paint.ts'
import { scanOptions } from './closed-run/scan-options.ts'
import { flagsToRepeat } from './find-run/flags-to-repeat.ts'
import { type LinkedRun, linkedRun, type RunFlags } from './find-run/linked-run.ts'
import { backAsJson, backInWords, leftInWords, undoneInWords } from './history/undo-in-words.ts'
import { whenInWords } from './history/when-in-words.ts'

type Flags = RunFlags & { dryRun?: unknown; show?: unknown; to?: unknown; yes?: unknown }

/** `farhand undo`: takes back the newest step of any author, or everything after an event, in every folder of the run. */
export const undoCommand = (given: string | undefined, flags: Flags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const to = flags.to === undefined ? undefined : eventOrStart(flags.to)
    const run = await linkedRun(flags, context, given, { changes: true })
    const named = given === undefined ? '' : ` ${shellWord(given)}`
    const again = `${context.called.farhand} undo${named}${flagsToRepeat(flags)}`
    try {
      await undo(run, { to, again }, flags, context)
    } catch (error) {
      throw halfUndone(error, to, again) ?? hubTrouble(error, run.hub.url, context) ?? error
    }
  })

/** Shows what an undo would do, and does it unless the flags say otherwise; for a closed run also in its folder. */
async function undo(
  { hub, at, link, folder }: LinkedRun,
  { to, again }: { to: number | undefined; again: string },
  flags: Flags,
  context: CommandContext,
): Promise<void> {
  const isDry = flags.dryRun === true || flags.show === true
  const place = { folder, stateFolderPath: stateFolderPath(flags.state, context), isLinked: link !== null }
  const names = new Map<string, string>()
  let newest = 0
  const onEvent = (event: SeenEvent) => {
    newest = event.id
    noteDeviceName(names, event)
  }
  const { prepareUndo } = await import('@farhand/device/closed-run/prepare-undo')
  const prepared = await prepareUndo({ hub, at }, { to, onEvent }, place, scanOptions(context))
  try {
    if (to !== undefined && to > newest)
      throw noSuchEvent(
        to,
        newest,
        `\`${context.called.farhand} history <path>\` lists the events of a file.`,
      )
    if (!prepared) {
      const nothing = { undoes: null, back: [], leftAlone: [], eventIds: [] }
      return context.out(
        flags.json ? `${JSON.stringify({ ...nothing, dryRun: isDry })}\n` : 'There is nothing to undo.\n',
      )
    }
    const { plan, versions } = prepared
    const by = (author: SeenAuthor | null) => authorInWords(author, link?.device, names)
    if (!flags.json) context.out(planInWords(plan, to, context, by))
    if (flags.show && !flags.json) {
      const { showRestoreDiff } = await import('./diff/show-restore-diff.ts')
      return await showRestoreDiff({ hub, at }, { back: plan.back, versions }, context)
    }
    if (isDry) return flags.json ? context.out(asJson(plan, true)) : undefined
    const whole = `${again}${to === undefined ? '' : ` --to ${to}`}`
    if (plan.back.length > 0 && !flags.yes) await confirm(plan, flags, context, whole)
    const { done, trouble, isOnlyInRun } = await prepared.undo()
    if (flags.json) context.out(asJson(done, false))
    else context.out(doneInWords(done, plan, again))
    if (trouble) throw trouble
    if (isOnlyInRun && !flags.json)
      context.note(
        `The run is closed, and no folder here has its files: \`${context.called.farhand} pull ${runInWords(at.run)}\` brings them.\n`,
      )
  } finally {
    await prepared?.close()
  }
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

function asJson({ step, undoes, back, leftAlone, eventIds }: Undoing, dryRun: boolean): string {
  const by = step?.by ?? null
  return `${JSON.stringify({ undoes, by, back: backAsJson(back), leftAlone, eventIds, dryRun })}\n`
}
