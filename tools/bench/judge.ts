import { number } from './rounds.ts'
import type { Figures, Goal } from './row.ts'
import { median, ratios } from './statistics.ts'

export type Verdict = { goal: string; aim: boolean; measured: string; reached: boolean | null }

/** Whether the goal was reached; null where the peer was not measured. Without figures of our own it is missed. */
export function judge(goal: Goal, figures: readonly Figures[]): Verdict {
  const samplesOf = (name: string, metric: string) => {
    const found = figures.find((figure) => figure.name === name)
    if (found?.missing !== undefined || found === undefined || found.samples.length === 0) {
      const reached = found?.peer ? null : false
      return { lacking: { measured: `${name}: ${found?.missing ?? 'not measured'}`, reached } }
    }
    return { values: found.samples.map((sample) => sample[metric]!) }
  }
  const hub = samplesOf(goal.hub, goal.metric)
  const over = goal.over === undefined ? undefined : samplesOf(goal.over, goal.overMetric ?? goal.metric)
  const named = { goal: goal.text, aim: goal.aim === true }
  if (hub.lacking) return { ...named, ...hub.lacking }
  if (over?.lacking) return { ...named, ...over.lacking }

  const values = over === undefined ? hub.values : ratios(hub.values, alike(over.values, hub.values.length))
  const counts = goal.worst ? worst(goal, values) : median(values)
  const unit = over !== undefined ? 'x' : goal.unit === undefined ? '' : ` ${goal.unit}`
  const range = values.length > 1 ? ` (${number(Math.min(...values))} to ${number(Math.max(...values))})` : ''
  return {
    ...named,
    measured: `${number(counts)}${unit}${range}`,
    reached: counts >= (goal.atLeast ?? -Infinity) && counts <= (goal.atMost ?? Infinity),
  }
}

function worst({ atMost }: Goal, values: readonly number[]): number {
  return atMost === undefined ? Math.min(...values) : Math.max(...values)
}

/** A slow peer is measured in fewer rounds than we are: then all of ours are compared with its middle. */
function alike(values: readonly number[], rounds: number): readonly number[] {
  return values.length >= rounds ? values : new Array<number>(rounds).fill(median(values))
}
