import type { AgentQuestion } from '@farhand/protocol/methods/questions'
import type { Budget, Limits } from './budget.ts'

type Limit = 'costUsd' | 'turns' | 'wallSeconds'

/** A limit that was reached, and the question for the user; `limits` apply if the answer is `continue`. */
export type Exceeded = {
  limit: Limit
  question: Pick<AgentQuestion, 'question' | 'kind' | 'options'> & { limits: Limits }
}

const said: Readonly<Record<Limit, { used: (value: number) => string; least: number }>> = {
  costUsd: { used: (value) => `$${value.toFixed(2)}`, least: 1 },
  turns: { used: (value) => `${value} ${value === 1 ? 'turn' : 'turns'}`, least: 1 },
  wallSeconds: { used: duration, least: 60 },
}

/**
 * Which limit is reached: `before` a turn begins, or `during` one. Null if none is. The limit on turns never stops a
 * turn that has begun.
 */
export function exceeded(budget: Budget, when: 'before' | 'during', nowMs: number): Exceeded | null {
  const spent: Record<Limit, number> = {
    costUsd: budget.costUsd,
    turns: budget.turns,
    wallSeconds: budget.activeMs(nowMs) / 1000,
  }
  for (const limit of ['costUsd', 'turns', 'wallSeconds'] as const) {
    const most = budget.limits[limit] ?? null
    if (most === null || spent[limit] < most || (limit === 'turns' && when === 'during')) continue
    return { limit, question: questionAbout(limit, most, spent[limit]) }
  }
  return null
}

function questionAbout(limit: Limit, most: number, spent: number): Exceeded['question'] {
  const { used, least } = said[limit]
  const more = twiceAsMuch(most, spent, least)
  return {
    question: `This run has used ${used(spent)} of the ${used(most)} that you allowed. Go on?`,
    kind: 'question',
    options: [
      { optionId: 'continue', name: `Continue, up to ${used(more)} in all` },
      { optionId: 'stop', name: 'Stop here' },
    ],
    limits: { [limit]: more },
  }
}

/** Doubles the limit until it is above what is spent, so that the next question does not come at once. */
function twiceAsMuch(most: number, spent: number, least: number): number {
  let more = Math.max(most * 2, least)
  while (more <= spent) more *= 2
  return more
}

function duration(seconds: number): string {
  const whole = Math.round(seconds)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)]
  const parts = [hours && `${hours} h`, minutes && `${minutes} min`, whole % 60 && `${whole % 60} s`]
  return parts.filter(Boolean).join(' ') || '0 s'
}
