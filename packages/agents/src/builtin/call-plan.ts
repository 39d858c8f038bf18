import type { Turn } from '../acp-program.ts'
import { textContent } from '../text-content.ts'
import { askPermission } from './ask-permission.ts'
import type { Result } from './call-tool.ts'
import { PlanInput, ProposalInput, planAnswers } from './plan-tools.ts'
import type { Session } from './sessions/session.ts'

/** Shows the plan's steps, which clients display on their own and not as a tool call. */
export async function showPlan(input: unknown, turn: Turn): Promise<Result> {
  const plan = PlanInput.safeParse(input)
  if (!plan.success) return { text: plan.error.message, failed: true }
  await turn.update({ sessionUpdate: 'plan', entries: plan.data.entries })
  return { text: 'Shown.', failed: false }
}

/** Asks the user to approve the plan; if approved, puts the session into the chosen mode. */
export async function proposePlan(
  input: unknown,
  session: Session,
  turn: Turn,
  toolCallId: string,
): Promise<Result> {
  const update = { sessionUpdate: 'tool_call_update' as const, toolCallId }
  const proposal = ProposalInput.safeParse(input)
  if (!proposal.success) {
    await turn.update({ ...update, status: 'failed', content: [textContent(proposal.error.message)] })
    return { text: proposal.error.message, failed: true }
  }
  const { plan } = proposal.data
  const about = { title: 'Carry out this plan?', kind: 'switch_mode' as const, content: [textContent(plan)] }
  await turn.update({ ...update, ...about, rawInput: { plan } })
  let mode: (typeof planAnswers)[number]['mode'] = null
  try {
    const options = planAnswers.map(({ mode: _, ...option }) => option)
    const chosen = await askPermission(turn, { toolCallId, ...about, rawInput: { plan } }, options)
    mode = planAnswers.find(({ optionId }) => optionId === chosen)?.mode ?? null
  } finally {
    await turn.update({ ...update, status: mode === null ? 'failed' : 'completed' })
  }
  if (mode === null) {
    const text = 'The person does not want this plan yet. End your turn with a question about what to change.'
    return { text, failed: true }
  }
  session.note({ mode })
  await turn.update({ sessionUpdate: 'current_mode_update', currentModeId: mode })
  return { text: 'The plan is approved: carry it out now.', failed: false }
}
