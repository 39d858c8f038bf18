import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { trimEndChars } from '@farhand/kit/trim-end-chars'
import { newId, QuestionId } from '@farhand/protocol/wire/ids'
import type { AgentAsk } from '../agent/agent.ts'
import { outcomeOf, withdrawal } from './outcome-of.ts'
import type { ModeAndPolicy, PendingQuestions, Verdict } from './pending-questions.ts'
import { decideByPolicy, type PolicyDecision } from './policy.ts'
import { questionOf } from './question-of.ts'

/**
 * Asks the users what an agent wants to know, or applies the run's policy, and answers the agent. Never throws an
 * error of the agent's.
 */
export async function askUser(ask: AgentAsk, questions: PendingQuestions, workspace: string): Promise<void> {
  const question = questionOf(ask, newId(QuestionId, 'qst'))
  const leadsTo = (path: string) => resolveSymlinks(path, workspace)
  const decide = ({ mode, policy }: ModeAndPolicy) =>
    decideByPolicy(question, { mode, policy, workspace, leadsTo })
  const decision = decide(questions.stance)
  const { questionId: _, replaces: __, ...params } = question.params
  // Clients count down to the timeout that holds; only the runner knows whether it is the question's or the policy's.
  const timed = decision.do === 'ask-until' ? { ...params, timeout: decision.seconds } : params
  const ended = await questions.ask(timed, {
    fits: (answer) => problemOf(ask, answer),
    verdict: (stance) => verdictOf(decide(stance)),
    signal: ask.withdrawn,
  })
  const outcome = 'answer' in ended ? outcomeOf(ask, ended.answer) : null
  ask.reply(outcome && 'result' in outcome ? outcome.result : withdrawal(ask))
}

function verdictOf(decision: PolicyDecision): Verdict {
  if (decision.do === 'ask') return null
  const { answer, by, why } = decision
  return { answer, by, why, afterMs: decision.do === 'settle' ? 0 : decision.seconds * 1000 }
}

function problemOf(ask: AgentAsk, answer: unknown): string | null {
  const outcome = outcomeOf(ask, answer)
  return 'problem' in outcome ? outcome.problem : null
}

/**
 * The path with all symbolic links on this disk resolved, also for a file that does not exist yet. Null if it is
 * ambiguous: the disk would resolve it differently than an agent that normalizes the path first.
 */
function resolveSymlinks(path: string, folder: string): string | null {
  const whole = isAbsolute(path) ? path : `${folder}/${path}`
  // Without trailing slashes, with which a dangling link would not be found.
  const end = follow(trimEndChars(whole, '/') || whole)
  // The disk decides what `..` after a link means, and many programs do not ask it.
  return end === follow(resolve(whole)) ? end : null
}

function follow(at: string): string | null {
  try {
    return realpathSync.native(at)
  } catch {
    // A dangling link cannot be resolved, and could still be written through.
    if (isThere(at) || dirname(at) === at) return null
    const above = follow(dirname(at))
    return above === null ? null : join(above, basename(at))
  }
}

function isThere(at: string): boolean {
  try {
    return lstatSync(at) !== undefined
  } catch {
    return false
  }
}
