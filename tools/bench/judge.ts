import { number } from './rounds.ts'
import type { Figures, Goal } from './row.ts'
import { median, ratios } from './statistics.ts'

export type Verdict = { goal: string; measured: string; reached: boolean | null }

/** Whether the goal was reached; null where one side was not measured. */
export function judge(goal: Goal, figures: readonly Figures[]): Verdict {
  const samplesOf = (name: string) => {
    const found = figures.find((figure) => figure.name === name)
    if (found?.missing !== undefined || found === undefined || found.samples.length === 0) {
      return { why: `${name}: ${found?.missing ?? 'not measured'}` }
    }
    return { values: found.samples.map((sample) => sample[goal.metric]!) }
  }
  const hub = samplesOf(goal.hub)
  const over = goal.over === undefined ? undefined : samplesOf(goal.over)
  if (hub.why !== undefined) return { goal: goal.text, measured: hub.why, reached: null }
  if (over?.why !== undefined) return { goal: goal.text, measured: over.why, reached: null }

  const values = over === undefined ? hub.values : ratios(hub.values, over.values)
  const middle = median(values)
  const unit = over === undefined ? ` ${goal.unit ?? ''}` : 'x'
  const range = values.length > 1 ? ` (${number(Math.min(...values))} to ${number(Math.max(...values))})` : ''
  return {
    goal: goal.text,
    measured: `${number(middle)}${unit}${range}`,
    reached: middle >= (goal.atLeast ?? -Infinity) && middle <= (goal.atMost ?? Infinity),
  }
}
