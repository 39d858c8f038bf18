import type { AgentQuestion } from '@farhand/protocol/methods/questions'
import type { RunMode } from '@farhand/protocol/schemas/api'
import { z } from 'zod'
import { isInside } from './is-inside.ts'
import type { Question } from './question-of.ts'
import { mostSeconds } from './read-ask.ts'
import { unattendedAnswer } from './unattended-answer.ts'

const PolicyName = z.enum(['ask', 'deny', 'allow-edits', 'allow-all'])
type PolicyName = z.infer<typeof PolicyName>

/** What may be decided without the user. A term that is left out is as in `base`, which is `ask` by default. */
const PolicyTerms = z.looseObject({
  base: PolicyName.optional(),
  permission: z.enum(['ask', 'deny', 'allow-edits', 'allow']).optional(),
  plan: z.enum(['ask', 'deny', 'allow']).optional(),
  question: z.enum(['ask', 'decline']).optional(),
  /** How long to wait for a user; then the question's default is the answer, or it is cancelled. */
  timeoutSeconds: z.number().positive().max(mostSeconds).optional(),
  /** Whether the policy holds in interactive mode, too. */
  interactive: z.boolean().optional(),
})
type PolicyTerms = z.infer<typeof PolicyTerms>

type Terms = Required<Pick<PolicyTerms, 'permission' | 'plan' | 'question'>>

// A question has no answer that is right for every user, so no named policy decides one. Only `allow-all` approves a
// plan.
const named: Readonly<Record<PolicyName, Terms>> = {
  ask: { permission: 'ask', plan: 'ask', question: 'ask' },
  deny: { permission: 'deny', plan: 'deny', question: 'ask' },
  'allow-edits': { permission: 'allow-edits', plan: 'ask', question: 'ask' },
  'allow-all': { permission: 'allow', plan: 'allow', question: 'ask' },
}

/** An answer given without asking a user: who gave it (`by`), and why, for users to read. */
export type Settled = { answer: unknown; by: string; why: string }

export type PolicyDecision =
  | { do: 'ask' }
  | ({ do: 'settle' } & Settled)
  /** A user may answer before that; null for `answer` cancels the question. */
  | ({ do: 'ask-until'; seconds: number } & Settled)

export type Policed = {
  mode: RunMode
  policy: unknown
  workspace: string
  /** The path with all symbolic links resolved, on the agent's disk; null if it cannot be known. */
  leadsTo: (path: string) => string | null
}

/** The `by` of decisions in background mode without a policy. */
export const byBackground = 'policy:background'

/**
 * Whether the run never waits for a user (W65): background mode without a policy. A user who wants to be asked there
 * sets the policy `ask`.
 */
export const isUnattended = ({ mode, policy }: Pick<Policed, 'mode' | 'policy'>) =>
  mode === 'background' && (policy === null || policy === undefined)

/**
 * Decides a question, or says how long to wait for a user. In interactive mode it always waits, unless the policy
 * says that it holds there, too; a policy that cannot be read allows nothing.
 */
export function decideByPolicy(question: Question, policed: Policed): PolicyDecision {
  if (isUnattended(policed)) {
    const { params, isPlan } = question
    const isPermission = params.kind === 'permission' || isPlan
    const { answer, why } = unattendedAnswer(params, isPermission, optionOf(params, 'reject'))
    return { do: 'settle', answer, by: byBackground, why }
  }
  const { by, terms, timeoutSeconds } = effective(policed.policy, policed.mode)
  return settled(question, terms, by, policed) ?? waiting(question.params, by, timeoutSeconds)
}

/** What the policy says about permissions in this mode. */
export const permissionTerm = ({ mode, policy }: Pick<Policed, 'mode' | 'policy'>) =>
  effective(policy, mode).terms.permission

function effective(policy: unknown, mode: RunMode): { by: string; terms: Terms; timeoutSeconds?: number } {
  const name = PolicyName.safeParse(policy)
  if (name.success && mode === 'background') return { by: `policy:${name.data}`, terms: named[name.data] }
  const said = PolicyTerms.safeParse(policy)
  if (!said.success || (mode === 'interactive' && !said.data.interactive))
    return { by: 'policy:ask', terms: named.ask }
  const { base = 'ask', permission, plan, question, timeoutSeconds } = said.data
  const of = named[base]
  return {
    by: 'policy:terms',
    terms: {
      permission: permission ?? of.permission,
      plan: plan ?? of.plan,
      question: question ?? of.question,
    },
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
  }
}

function settled(question: Question, terms: Terms, by: string, policed: Policed): PolicyDecision | null {
  const { params, isPlan, tool } = question
  if (params.kind !== 'permission' && !isPlan) {
    if (terms.question !== 'decline') return null
    return { do: 'settle', answer: null, by, why: 'The policy of this run declines questions.' }
  }
  const term = isPlan ? terms.plan : terms.permission
  const about = isPlan ? 'plans' : 'permissions'
  if (term === 'deny') {
    const answer = optionOf(params, 'reject')
    return { do: 'settle', answer, by, why: `The policy of this run denies ${about}.` }
  }
  const isAllowed = term === 'allow' || (term === 'allow-edits' && isPlainEdit(tool, policed))
  const answer = isAllowed ? optionOf(params, 'allow') : null
  // Allowed, but no single option says so: a user has to choose.
  if (answer === null) return null
  const why =
    term === 'allow'
      ? `The policy of this run allows ${about}.`
      : 'The policy of this run allows edits inside the workspace.'
  return { do: 'settle', answer, by, why }
}

// A deletion may concern more than a file; and without a path it is unknown what is edited.
function isPlainEdit(tool: Question['tool'], { workspace, leadsTo }: Policed): boolean {
  if (!tool || (tool.kind !== 'edit' && tool.kind !== 'move')) return false
  if (tool.paths.length === 0 || tool.runs) return false
  // Names first: the disk is not read for paths that cannot be judged.
  if (!tool.paths.every((path) => isInside(path, workspace))) return false
  const root = leadsTo(workspace)
  const ends = tool.paths.map(leadsTo)
  return root !== null && ends.every((end) => end !== null && isInside(end, root))
}

/** The narrowest option of this kind; null if there is none, or several are equally narrow. */
function optionOf({ options = [] }: AgentQuestion, what: 'allow' | 'reject'): string | null {
  for (const kind of [`${what}_once`, `${what}_always`]) {
    const fitting = options.filter((option) => typeof option !== 'string' && option.kind === kind)
    const [one] = fitting
    if (fitting.length > 1) return null
    if (one && typeof one !== 'string') return one.optionId
  }
  return null
}

function waiting(params: AgentQuestion, by: string, timeoutSeconds: number | undefined): PolicyDecision {
  const fallback = params.default ?? null
  const then = fallback === null ? 'it was cancelled' : 'its default was taken'
  const why = (seconds: number) => `No answer within ${seconds} seconds, so ${then}.`
  if (params.timeout !== undefined) {
    // The agent set the timeout and relies on it in every mode.
    const seconds = params.timeout
    return { do: 'ask-until', seconds, answer: fallback, by: 'question', why: why(seconds) }
  }
  if (timeoutSeconds === undefined) return { do: 'ask' }
  return { do: 'ask-until', seconds: timeoutSeconds, answer: fallback, by, why: why(timeoutSeconds) }
}
