import type { Plan } from './plan.ts'
import { type Outcome, play } from './world.ts'

const triesEach = 30

export type Shrunk = { why: string; plan: Plan; seed: number; story: string[] }

/** The smallest plan near this one that still breaks something, for some order of its steps. */
export async function shrunk(
  plan: Plan,
  outcome: Outcome,
  rollBy: (seed: number) => () => number,
): Promise<Shrunk> {
  let best: Shrunk = { why: outcome.broken!, plan, seed: -1, story: outcome.story }
  const breaks = async (smaller: Plan): Promise<boolean> => {
    for (let seed = 0; seed < triesEach; seed += 1) {
      const { broken, claim, story } = await play(smaller, rollBy(seed))
      if (!broken || claim !== outcome.claim) continue
      best = { why: broken, plan: smaller, seed, story }
      return true
    }
    return false
  }
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false
    for (const smaller of smallerThan(best.plan)) {
      isSmaller = await breaks(smaller)
      if (isSmaller) break
    }
  }
  return best
}

function* smallerThan(plan: Plan): Generator<Plan> {
  if (plan.deathRate > 0) yield { ...plan, deathRate: 0 }
  for (let at = plan.actions.length - 1; at >= 0; at -= 1)
    yield { ...plan, actions: plan.actions.toSpliced(at, 1) }
  if (plan.folders.some((folder) => folder !== 'base'))
    yield { ...plan, folders: plan.folders.map(() => 'base') }
  for (let at = 0; at < plan.base.length; at += 1) yield { ...plan, base: plan.base.toSpliced(at, 1) }
  if (plan.devices === 2 && plan.actions.every(({ who }) => who !== 1))
    yield { ...plan, devices: 1, folders: plan.folders.slice(0, 1) }
}
