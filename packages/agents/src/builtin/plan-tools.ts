import { z } from 'zod'

/** The list of steps that clients show beside the conversation. */
export const PlanInput = z.object({
  entries: z
    .array(
      z.object({
        content: z.string().min(1),
        status: z.enum(['pending', 'in_progress', 'completed']).default('pending'),
        priority: z.enum(['high', 'medium', 'low']).default('medium'),
      }),
    )
    .describe('all steps, each time the whole list'),
})

export const ProposalInput = z.object({ plan: z.string().min(1).describe('the whole plan, in Markdown') })

/** Tools that address the user and do not touch the workspace. */
export const planTools = {
  plan: {
    description: 'Shows your list of steps to the person. Call it again when a step begins or is done.',
  },
  ask_user: {
    description:
      'Asks the person something that you cannot find out and should not decide yourself, and waits for the answer.',
  },
  propose_plan: { description: 'Shows the finished plan to the person and asks whether to carry it out.' },
} as const

/** The user's possible answers to a plan, and the mode that follows; null keeps the mode. */
export const planAnswers = [
  { optionId: 'approve-ask', name: 'Approve, and ask before each change', kind: 'allow_once', mode: 'ask' },
  { optionId: 'approve-edits', name: 'Approve, and allow edits', kind: 'allow_always', mode: 'edits' },
  { optionId: 'reject', name: 'Keep planning', kind: 'reject_once', mode: null },
] as const
