import { newId, QuestionId } from '@farhand/protocol/ids'
import type { RunView } from '@farhand/protocol/run-view'
import type { AgentAsk } from '../agent/agent.ts'
import type { Asking, Verdict } from './asking.ts'
import { outcomeOf, withdrawal } from './outcome-of.ts'
import { decideByPolicy } from './policy.ts'
import { questionOf } from './question-of.ts'
import { whereItLeads } from './where-it-leads.ts'

/** Asks people what an agent wants to know, or the policy they set, and tells the agent. Never throws what the agent did. */
export async function passOn(
  ask: AgentAsk,
  asking: Asking,
  view: Pick<RunView, 'mode' | 'policy'>,
  workspace: string,
): Promise<void> {
  const question = questionOf(ask, newId(QuestionId, 'qst'))
  const { mode, policy } = view
  const leadsTo = (path: string) => whereItLeads(path, workspace)
  const decision = decideByPolicy(question, { mode, policy, workspace, leadsTo })
  const { questionId: _, replaces: __, ...params } = question.params
  const verdict: Verdict =
    decision.do === 'ask'
      ? null
      : {
          answer: decision.answer,
          by: decision.by,
          why: decision.why,
          afterMs: decision.do === 'settle' ? 0 : decision.seconds * 1000,
        }
  // Whoever shows it counts down to the time that holds, the asker's or the policy's: only this side knows which.
  const timed = decision.do === 'ask-until' ? { ...params, timeout: decision.seconds } : params
  const ended = await asking.ask(timed, {
    fits: (answer) => problemOf(ask, answer),
    verdict,
    signal: ask.withdrawn,
  })
  const outcome = 'answer' in ended ? outcomeOf(ask, ended.answer) : null
  ask.reply(outcome && 'result' in outcome ? outcome.result : withdrawal(ask))
}

function problemOf(ask: AgentAsk, answer: unknown): string | null {
  const outcome = outcomeOf(ask, answer)
  return 'problem' in outcome ? outcome.problem : null
}
