import { Trouble } from '@farhand/device/trouble/trouble'
import { event } from '@farhand/protocol/events/event-names'
import type { RunMode } from '@farhand/protocol/schemas/api'
import type { Notification } from '@farhand/protocol/wire/event'

export type TermFlags = Readonly<
  Partial<
    Record<'run' | 'background' | 'policy' | 'maxCost' | 'maxTurns' | 'maxMinutes' | 'maxWait', unknown>
  >
>

/** The longest time that a runner accepts; terms that it cannot read allow nothing. */
const mostSeconds = 1_800_000

/**
 * The events that set a run's limits and policy, from the flags; throws Trouble for wrong values. The run's mode stays as it
 * is, unless --background changes it.
 */
export function runTerms(flags: TermFlags): (found: RunMode) => Notification[] {
  const { background, policy } = flags
  const limits = {
    ...limit('costUsd', '--max-cost', flags.maxCost, 1),
    ...limit('turns', '--max-turns', flags.maxTurns, 1),
    ...limit('wallSeconds', '--max-minutes', flags.maxMinutes, 60),
  }
  const wait = limit('timeoutSeconds', '--max-wait', flags.maxWait, 60)
  if (wait.timeoutSeconds !== undefined && !(wait.timeoutSeconds > 0 && wait.timeoutSeconds <= mostSeconds))
    throw new Trouble(
      'usage',
      `--max-wait is ${flags.maxWait}.`,
      'It takes minutes: more than 0, 30000 at most.',
    )
  // The policy is set as a whole: --max-wait alone would remove the base that it has.
  if (flags.maxWait !== undefined && flags.run !== undefined && policy === undefined)
    throw new Trouble(
      'usage',
      `--max-wait alone would undo the policy that ${flags.run} has.`,
      'Give it, too: --policy ask, deny, allow-edits or allow-all.',
    )
  const hasTerms = policy !== undefined || flags.maxWait !== undefined
  return (found) => {
    const said: Notification[] = []
    if (background || hasTerms) {
      const mode = background ? 'background' : found
      const named = policy === undefined ? undefined : String(policy)
      const base = { ...(named !== undefined && { base: named }), ...wait }
      // A bare policy counts only in background mode; a user who names one in a conversation wants it there, too.
      const unwatched = flags.maxWait === undefined ? named : base
      const terms = background ? unwatched : { ...base, interactive: true }
      said.push(event('mode_change', { mode, ...(hasTerms && { policy: terms }) }))
    }
    if (Object.keys(limits).length > 0) said.push(event('run_limits', limits))
    return said
  }
}

function limit(name: string, flag: string, value: unknown, unit: number): Record<string, number> {
  if (value === undefined) return {}
  const amount = /^\d+(\.\d+)?$/.test(String(value)) ? Number(value) : Number.NaN
  if (Number.isFinite(amount)) return { [name]: amount * unit }
  throw new Trouble(
    'usage',
    `${flag} is ${JSON.stringify(value)}.`,
    'It takes a number from 0 up, such as 2.5.',
  )
}
