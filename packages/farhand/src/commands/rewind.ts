import type { ReachedRun } from '@farhand/device/find-run/reach-run'
import type { DoneRewind, PlannedRewind } from '@farhand/device/history/rewind-run'
import { Trouble } from '@farhand/device/trouble/trouble'
import { count } from '@farhand/device/wording/count'
import { pathInWords } from '@farhand/device/wording/path-in-words'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { LeftAlone } from '@farhand/sync/history/step-to-undo'
import type { HalfUndone, Undoing } from '@farhand/sync/history/undo'
import { hubTrouble } from '../command-line/errors/hub-trouble.ts'
import { withJsonErrors } from '../command-line/errors/with-json-errors.ts'
import { eventNamed, noSuchEvent } from '../command-line/options/event-named.ts'
import type { CommandContext } from '../context/command-context.ts'
import { askYesNo } from '../terminal/choice/ask-key.ts'
import { paint } from '../terminal/printing/paint.ts'
import { whileWaiting } from '../terminal/printing/while-waiting.ts'
import { flagsToRepeat } from './find-run/flags-to-repeat.ts'
import { linkedRun } from './find-run/linked-run.ts'
import { type ReachFlags, reachRun } from './find-run/reach-run.ts'
import { listPoints } from './history/list-points.ts'
import { backAsJson, backInWords, leftInWords, undoneInWords } from './history/undo-in-words.ts'

type Flags = ReachFlags & {
  to?: unknown
  conversation?: unknown
  partial?: unknown
  dryRun?: unknown
  show?: unknown
  yes?: unknown
}

/** `farhand rewind`: puts the files of a run, or these and its conversation, back to how they were after an event; without --to it lists the points. */
export const rewindCommand = (named: string | undefined, flags: Flags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const to = flags.to === undefined ? null : eventNamed('--to', flags.to)
    const reached =
      named === undefined ? await runHere(flags, context) : await reachRun(named, flags, context)
    const again = `${context.called.farhand} rewind ${runInWords(reached.at.run)}${flagsToRepeat(flags)}`
    try {
      if (to === null) await listPoints(reached, again, flags, context)
      else await rewind(reached, to, again, flags, context)
    } catch (error) {
      const reopening = `\`${context.called.farhand} run --run ${runInWords(reached.at.run)} "..."\` opens it again.`
      throw (
        halfDone(error, `${again} --to ${to}${flags.conversation ? ' --conversation' : ''}`) ??
        hubTrouble(error, reached.hub.url, context, reopening) ??
        error
      )
    }
  })

/** The run of the working folder. */
async function runHere(flags: Flags, context: CommandContext): Promise<ReachedRun> {
  const { hub, at } = await linkedRun(flags, context, undefined, { changes: true })
  return { hub, at, known: null }
}

async function rewind(
  reached: ReachedRun,
  to: number,
  again: string,
  flags: Flags,
  context: CommandContext,
): Promise<void> {
  const whole = `${again} --to ${to}${flags.conversation ? ' --conversation' : ''}`
  const planned = await plan(reached, to, whole, flags, context)
  if (!flags.json) context.out(planInWords(planned, to, flags, context))
  if (flags.show && !flags.json && planned.undo) {
    const { showRestoreDiff } = await import('./diff/show-restore-diff.ts')
    const { plan, changes } = planned.undo
    return await showRestoreDiff(reached, { back: plan.back, versions: changes.versions }, context)
  }
  if (flags.dryRun || flags.show)
    return flags.json ? context.out(asJson(planned.files, { to, dryRun: true })) : undefined
  const messages = flags.conversation ? planned.forgotten + planned.known : 0
  if (planned.files.back.length + messages > 0) await confirm(flags, context, whole)
  const { rewindRun } = await import('@farhand/device/history/rewind-run')
  const wanted = { to, withConversation: Boolean(flags.conversation) }
  await rewindRun(reached, planned, wanted, {
    planAgain: () => plan(reached, to, whole, flags, context),
    whileStopping: (act) => whileWaiting('waiting for the agent to stop', context, act),
    onDone: (done) => tellDone(done, { to, again }, flags, context),
    stop: context.stop,
  })
}

function tellDone(
  { planned, files: done, before, conversation, cancelled }: DoneRewind,
  { to, again }: { to: number; again: string },
  flags: Flags,
  context: CommandContext,
): void {
  if (flags.json) {
    context.out(asJson(done, { to, before, conversation, cancelled, dryRun: false }))
    return
  }
  context.out(leftInWords(done.leftAlone.slice(planned.files.leftAlone.length)))
  context.out(
    `${undoneInWords(done.back)}.${conversation === null ? '' : ` The agent knows what was said up to event ${to}.`}\n`,
  )
  if (done.eventIds.length > 0 || conversation !== null)
    context.out(`To undo this: ${again} --to ${before}${flags.conversation ? ' --conversation' : ''}\n`)
}

/** The plan; throws if the event does not exist, or if not all of the old contents are still stored. */
async function plan(
  reached: ReachedRun,
  to: number,
  whole: string,
  flags: Flags,
  context: CommandContext,
): Promise<PlannedRewind> {
  const { planRewind } = await import('@farhand/device/history/rewind-run')
  const planned = await planRewind(reached, to, context.stop)
  const { newest } = planned.points
  if (to > newest) throw noSuchEvent(to, newest, `\`${whole.split(' --to ')[0]}\` lists some.`)
  const { leftAlone } = planned.files
  if (leftAlone.length > 0 && !flags.partial) throw notAll(leftAlone, whole)
  return planned
}

function notAll(left: readonly LeftAlone[], whole: string): Trouble {
  const some = left.slice(0, 3).map(({ path }) => pathInWords(path))
  const more = left.length > some.length ? `, and ${left.length - some.length} more` : ''
  return new Trouble(
    'failed',
    `Some old contents are not stored any more: ${some.join(', ')}${more}. Nothing was changed.`,
    `The hub keeps unused contents for 30 days. \`${whole} --partial\` puts back the others.`,
  )
}

async function confirm(flags: Flags, context: CommandContext, whole: string): Promise<void> {
  if (flags.yes) return
  if (!flags.json && (await askYesNo('Go on? [y/N] ', context))) return
  const next = `\`${whole} --yes\` goes on, \`${whole} --dry-run\` only looks.`
  throw new Trouble('mustAsk', 'Nothing was changed.', next)
}

function planInWords(
  { files, points, forgotten, known }: PlannedRewind,
  to: number,
  flags: Flags,
  context: CommandContext,
): string {
  const { bold } = paint(context.color)
  const lines = [bold(`To how it was after event ${to}`)]
  if (points.openTurns.length > 0) lines.push('  The turn that is under way is cancelled first.')
  if (files.back.length === 0) lines.push('  No file changes.')
  if (flags.conversation && forgotten > 0) lines.push(`  The agent forgets ${count(forgotten, 'message')}.`)
  if (flags.conversation && known > 0) lines.push(`  It knows ${count(known, 'message')} again.`)
  return `${lines.join('\n')}\n${backInWords(files.back, context)}${leftInWords(files.leftAlone)}`
}

function asJson({ back, leftAlone, eventIds }: Undoing, more: Record<string, unknown>): string {
  return `${JSON.stringify({ ...more, back: backAsJson(back), leftAlone, eventIds })}\n`
}

function halfDone(error: unknown, whole: string): Trouble | null {
  const { name, message } = error as Partial<HalfUndone>
  if (name !== 'HalfUndone') return null
  return new Trouble('failed', `Only a part was put back: ${message}.`, `\`${whole}\` goes on.`, error)
}
