import type { Dice } from '@farhand/testkit/dice'
import { type SceneName, type StepName, scenes, type Victim, victims, type Way, waysOf } from './steps.ts'

export type Kill = {
  step: StepName
  victim: Victim
  way: Way
  /** After the step was met. */
  delayMs: number
  /** Before the victim is back. */
  awayMs: number
  /** What is said at this step does not come further than to where it was met. */
  isLost: boolean
}

/** A scene, and who is killed in it: all of one phase as they come, those of the next after the last of the one before. */
export type Act = { scene: SceneName; phases: Kill[][] }

export type Pair = { scene: SceneName; step: StepName; victim: Victim; way: Way }

const mostPerPhase = 3

/** Every step of every scene with every victim: met in one way that chance chooses, or in all of them. */
export function allPairs(dice: Dice, everyWay: boolean, whom: readonly Victim[] = victims): Pair[] {
  return Object.entries(scenes).flatMap(([scene, steps]) =>
    (steps as readonly StepName[]).flatMap((step) =>
      whom.flatMap((victim) => {
        const ways = everyWay ? waysOf(step) : [dice.pick(waysOf(step))]
        return ways.map((way) => ({ scene: scene as SceneName, step, victim, way }))
      }),
    ),
  )
}

/**
 * Acts in which each of these pairs comes once. A runner or an agent is killed at most twice in an act: a message is
 * continued once, and what comes after the second time is not known.
 */
export function planActs(pairs: readonly Pair[], dice: Dice): Act[] {
  const names = [...new Set(pairs.map(({ scene }) => scene))]
  const acts = names.flatMap((scene) =>
    actsOf(
      scene,
      shuffled(
        pairs.filter((pair) => pair.scene === scene),
        dice,
      ),
      dice,
    ),
  )
  return shuffled(acts, dice)
}

/** An act for what did not come in its own. */
export const again = (scene: SceneName, kill: Kill): Act => ({ scene, phases: [[kill]] })

const isMild = ({ victim }: Pair) => victim === 'hub' || victim === 'client'

function actsOf(scene: SceneName, pairs: readonly Pair[], dice: Dice): Act[] {
  const place = ({ step }: Pair) => (scenes[scene] as readonly StepName[]).indexOf(step)
  const mild = pairs.filter(isMild)
  const grave = pairs.filter((pair) => !isMild(pair))
  const kill = ({ step, victim, way }: Pair): Kill => ({
    step,
    victim,
    way,
    delayMs: dice.pick([0, 0, dice.between(1, 30)]),
    awayMs: dice.pick([0, dice.between(1, 120)]),
    isLost: dice.chance(0.3),
  })
  /** Milder ones that come before this in the same phase, each at a step of its own. */
  const before = (most: number): Kill[] => {
    const taken: Pair[] = []
    for (const pair of [...mild]) {
      const isFree = taken.every((other) => place(other) !== place(pair) && other.victim !== pair.victim)
      if (taken.length === mostPerPhase - 1 || place(pair) > most || !isFree) continue
      taken.push(pair)
      mild.splice(mild.indexOf(pair), 1)
    }
    return taken.map(kill)
  }
  const acts: Act[] = []
  while (grave.length > 0) {
    const phases = grave.splice(0, 2).map((pair) => [...before(place(pair) - 1), kill(pair)])
    acts.push({ scene, phases })
  }
  while (mild.length > 0) acts.push({ scene, phases: [before(Number.POSITIVE_INFINITY)] })
  return acts
}

function shuffled<Value>(values: readonly Value[], dice: Dice): Value[] {
  return values
    .map((value) => ({ value, place: dice.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value)
}
