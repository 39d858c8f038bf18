import { follow } from '@farhand/client/follow/follow'
import { post } from '@farhand/client/post/post'
import { Refusal } from '@farhand/client/requests/refusal'
import { Unconfirmed } from '@farhand/client/requests/unconfirmed'
import { closeRun, runStatus } from '@farhand/client/resources/resources'
import { event } from '@farhand/protocol/events/event-names'
import type { EventName, EventParams } from '@farhand/protocol/methods/methods'
import type { PendingQuestion } from '@farhand/protocol/runs/sync-status'
import { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../context/command-context.ts'
import { stateFolderPath } from '../context/state-folder-path.ts'
import { converse } from '../conversation/converse.ts'
import { hubTrouble, patienceMs } from '../errors/hub-trouble.ts'
import { nullIfStopped } from '../errors/null-if-stopped.ts'
import { Trouble } from '../errors/trouble.ts'
import { withJsonErrors } from '../errors/with-json-errors.ts'
import { chooseRun } from '../find-run/choose-run.ts'
import { linkAround } from '../find-run/linked-run.ts'
import { type ReachedRun, type ReachFlags, reachRun } from '../find-run/reach-run.ts'
import { LocalRuns } from '../local-runs/local-runs.ts'
import { runInWords } from '../printing/run-in-words.ts'
import { whileWaiting } from '../printing/while-waiting.ts'
import { saidOrPiped } from '../prompts/piped-text.ts'
import { answerProblem } from '../questions/answer-problem.ts'
import { answersInWords, answerTyped, questionInWords } from '../questions/question-in-words.ts'
import { jsonRunScreen, textRunScreen } from '../run-screen/run-screen.ts'
import { answerMeant, type KnownRuns, messageMeant } from '../runs-list/run-or-message.ts'
import { runFailed, untilHostEnds, wakeHost } from './run/leave-run.ts'
import { howToAnswer } from './run/run-output.ts'

/** Does something with a run that someone named or stands in; what the hub says against it is told in words. */
const withRun = (
  named: string | undefined,
  flags: ReachFlags,
  context: CommandContext,
  act: (reached: ReachedRun) => Promise<void>,
): Promise<void> =>
  withJsonErrors(flags, context, async () => {
    const run = named ?? (await nullIfStopped(context, () => chooseRun(flags, context, { ends: true })))
    if (run === null) return
    const reached = await reachRun(run, flags, context)
    try {
      await act(reached)
    } catch (error) {
      if (context.stop.aborted) return
      const { run } = reached.at
      const reopening = `\`${context.called.farhand} run --run ${runInWords(run)} "..."\` opens it again.`
      throw hubTrouble(error, reached.hub.url, context, reopening) ?? error
    }
  })

const say = <Name extends EventName>(
  { hub, at }: ReachedRun,
  name: Name,
  params: EventParams<Name>,
  context: CommandContext,
  key?: string,
) => post(hub, at, event(name, params), { signal: context.stop, patienceMs, ...(key && { key }) })

export type SendFlags = ReachFlags & { steer?: unknown; follow?: unknown; key?: unknown }

/** Who sends it again as if nothing had been may have it done twice. */
function mayHaveArrived(error: unknown, { hub, at }: ReachedRun, { called }: CommandContext): unknown {
  if (!(error instanceof Unconfirmed) || error.cause instanceof Refusal) return error
  const why = (error.cause as Error).message
  return new Trouble(
    'failed',
    `No hub answers at ${hub.url}: ${why}. The message may have arrived all the same.`,
    `To send it again so that it counts once: ${called.farhand} send ${runInWords(at.run)} --key ${error.key} "..."`,
    error,
  )
}

/** Says something to the agent of a run; resolves when it is safely in the log, or with `--follow` after its turn. */
export const sendCommand = (
  first: string | undefined,
  second: string | undefined,
  flags: SendFlags,
  context: CommandContext,
) => {
  const { named, said } = messageMeant(first, second)
  if (said === undefined)
    return withJsonErrors(flags, context, async () => {
      throw new Trouble(
        'usage',
        'What should be said?',
        `Say it: ${context.called.farhand} send ${named ? `${named} ` : ''}"..."`,
      )
    })
  return sendTo(named, said, flags, context)
}

const sendTo = (named: string | undefined, said: string, flags: SendFlags, context: CommandContext) =>
  withRun(named, flags, context, async (reached) => {
    const text = await saidOrPiped(said, context)
    if (text === null) return
    if (text.trim() === '') throw new Trouble('usage', 'The message is empty.', 'Say something.')
    // Always said: otherwise it might be taken for the answer to a question that is open (W62).
    const params = { content: text, when: flags.steer === true ? 'steer' : 'queue' } as const
    const key = flags.key === undefined ? undefined : String(flags.key)
    const { lastEventId: messageId } = await say(reached, 'user_message', params, context, key).catch(
      (error: unknown) => {
        throw mayHaveArrived(error, reached, context)
      },
    )
    const { at, hub } = reached
    if (flags.json) context.out(`${JSON.stringify({ event: 'sent', run: at.run, messageId })}\n`)
    const isHosted = new LocalRuns(stateFolderPath(flags.state, context)).holder(at.run) !== null
    if (!isHosted && reached.known && reached.known.sandbox === undefined && !flags.json)
      context.note(
        `Nobody works on it now: \`${context.called.farhand} run --run ${runInWords(at.run)}\` starts its agent.\n`,
      )
    if (!flags.follow) {
      if (!flags.json) context.note(`Sent to ${runInWords(at.run)}.\n`)
      return
    }
    const hint = () => howToAnswer(at.run, context)
    const isFar = reached.known?.sandbox !== undefined
    const screen = flags.json ? jsonRunScreen(context) : textRunScreen(context, hint, isFar)
    screen.saying(text)
    const end = await converse({ hub, at, screen, messageId, lines: null, runnerEnded: null }, context)
    if (end.is === 'run-failed') throw runFailed(at.run, false, context)
    if (end.is === 'turn-over' && !['end_turn', 'cancelled'].includes(end.stopReason))
      throw new Trouble(
        'failed',
        end.why ?? `The turn ended: ${end.stopReason}.`,
        `The run is ${runInWords(at.run)}.`,
      )
  })

/** Answers a question of an agent; without an answer it lists those that are open. */
export const answerCommand = (
  first: string | undefined,
  rest: readonly string[],
  flags: ReachFlags,
  context: CommandContext,
) => {
  const { named, words } = answerMeant(first, rest, runsKnown(flags, context))
  return withRun(named, flags, context, async (reached) => {
    const { hub, at } = reached
    const { pendingQuestions: open } = await runStatus(hub, at, { signal: context.stop, patienceMs })
    const [first = ''] = words
    const chosen = words.length > 0 && /^qst_/.test(first) ? first : null
    const said = (chosen === null ? words : words.slice(1)).join(' ')
    if (said === '') return listQuestions(open, at.run, flags, context)
    const fitting = chosen === null ? open : open.filter(({ questionId }) => questionId.startsWith(chosen))
    const [question] = fitting
    if (!question || fitting.length > 1) throw notOne(open, chosen, at.run, context)
    const answer = answerTyped(question, said)
    const problem = answer && answerProblem(question, answer.answer)
    if (!answer || problem)
      throw new Trouble(
        'usage',
        `${said} is no answer to: ${question.question}`,
        problem ?? answersInWords(question),
      )
    const { questionId } = question
    const { lastEventId } = await say(reached, 'user_response', { questionId, ...answer }, context)
    if (flags.json)
      context.out(
        `${JSON.stringify({ event: 'answered', run: at.run, questionId, ...answer, eventId: lastEventId })}\n`,
      )
    else context.note('Answered.\n')
  })
}

/** What this machine knows of runs: all of which anything is here, and whether the folder one stands in has one. */
function runsKnown(flags: ReachFlags, context: CommandContext): KnownRuns {
  const runs = new LocalRuns(stateFolderPath(flags.state, context))
  const isLinked = linkAround(new StateFolder(stateFolderPath(flags.state, context)), context) !== null
  return { names: runs.names(), hasOwn: isLinked || runs.of(context.cwd).length > 0 }
}

function listQuestions(
  open: readonly PendingQuestion[],
  run: string,
  flags: ReachFlags,
  context: CommandContext,
): void {
  if (flags.json) {
    for (const question of open) context.out(`${JSON.stringify({ event: 'question', run, ...question })}\n`)
    return
  }
  if (open.length === 0) context.out('Nothing is asked.\n')
  for (const question of open)
    context.out(`${question.questionId}\n${questionInWords(question).join('\n')}\n`)
  const which = open.length > 1 ? ' <question>' : ''
  if (open.length > 0)
    context.out(`\nAnswer: ${context.called.farhand} answer ${runInWords(run)}${which} <answer>\n`)
}

function notOne(
  open: readonly PendingQuestion[],
  chosen: string | null,
  run: string,
  context: CommandContext,
): Trouble {
  const list = `\`${context.called.farhand} answer ${runInWords(run)}\` lists what is asked.`
  if (open.length === 0) return new Trouble('usage', 'Nothing is asked in this run, or not any more.', list)
  if (chosen !== null) return new Trouble('usage', `${chosen} is not one open question.`, list)
  return new Trouble(
    'usage',
    `${open.length} questions are open.`,
    `Say which: ${context.called.farhand} answer ${runInWords(run)} ${open[0]!.questionId} <answer>`,
  )
}

/** Ends the turn that is under way; messages that wait for theirs stay. */
export const cancelCommand = (named: string | undefined, flags: ReachFlags, context: CommandContext) =>
  withRun(named, flags, context, async (reached) => {
    const { lastEventId } = await say(reached, 'cancel', {}, context)
    const { run } = reached.at
    if (flags.json) context.out(`${JSON.stringify({ event: 'cancelled', run, eventId: lastEventId })}\n`)
    else context.note('The agent is told to stop what it is doing.\n')
  })

/** Closes a run; resolves when it is closed. */
export const closeCommand = (named: string | undefined, flags: ReachFlags, context: CommandContext) =>
  withRun(named, flags, context, async ({ hub, at, known }) => {
    const { status, lastEventId } = await runStatus(hub, at, { signal: context.stop, patienceMs })
    const runs = new LocalRuns(stateFolderPath(flags.state, context))
    if (status !== 'closed') {
      wakeHost(runs, at, context)
      await closeRun(hub, at, { signal: context.stop, patienceMs })
      await whileWaiting('its runner is given time to end', context, async () => {
        for await (const _ of follow(hub, at, { after: lastEventId, signal: context.stop }));
        await untilHostEnds(runs, at, context.stop)
      })
    }
    const { tidyWorktree } = await import('../worktrees/tidy-worktree.ts')
    const tidied = await tidyWorktree(known, stateFolderPath(flags.state, context), context)
    const worktree = tidied && known?.worktree ? { folder: known.worktree.root, ...tidied } : undefined
    if (flags.json) context.out(`${JSON.stringify({ event: 'closed', run: at.run, worktree })}\n`)
    else context.note(`${runInWords(at.run)} is closed.\n`)
    if (tidied && known?.worktree && !flags.json) {
      const { tidyResultInWords } = await import('../worktrees/worktree-in-words.ts')
      context.note(tidyResultInWords(known.worktree, tidied, context))
    }
  })
