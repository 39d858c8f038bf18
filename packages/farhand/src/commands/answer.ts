import { runStatus } from '@farhand/client/resources/resources'
import { linkAround } from '@farhand/device/find-run/run-paths'
import { KnownRuns } from '@farhand/device/known-runs/known-runs'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { PendingQuestion } from '@farhand/protocol/runs/sync-status'
import { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../context/command-context.ts'
import { answerProblem } from '../terminal/questions/answer-problem.ts'
import { answersInWords, answerTyped, questionInWords } from '../terminal/questions/question-in-words.ts'
import type { ReachFlags } from './find-run/reach-run.ts'
import { type RunNames, splitAnswer } from './find-run/run-or-message.ts'
import { postTo, withRun } from './with-run.ts'

/** `farhand answer`: answers a question of an agent; without an answer it lists the open ones. */
export const answerCommand = (
  first: string | undefined,
  rest: readonly string[],
  flags: ReachFlags,
  context: CommandContext,
) => {
  const { named, words } = splitAnswer(first, rest, runsKnown(flags, context))
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
        `${said} is not an answer to: ${question.question}`,
        problem ?? answersInWords(question),
      )
    const { questionId } = question
    const { lastEventId } = await postTo(reached, 'user_response', { questionId, ...answer }, context)
    if (flags.json)
      context.out(
        `${JSON.stringify({ event: 'answered', run: at.run, questionId, ...answer, eventId: lastEventId })}\n`,
      )
    else context.note('Answered.\n')
  })
}

/** The runs that this machine remembers, and whether the working folder has one. */
function runsKnown(flags: ReachFlags, context: CommandContext): RunNames {
  const runs = new KnownRuns(stateFolderPath(flags.state, context))
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
  if (open.length === 0) context.out('No question is open.\n')
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
  const list = `\`${context.called.farhand} answer ${runInWords(run)}\` lists the open ones.`
  if (open.length === 0) return new Trouble('usage', 'No question is open in this run.', list)
  if (chosen !== null) return new Trouble('usage', `${chosen} is not the id of one open question.`, list)
  return new Trouble(
    'usage',
    `${open.length} questions are open.`,
    `Name one: ${context.called.farhand} answer ${runInWords(run)} ${open[0]!.questionId} <answer>`,
  )
}
