import { Dice } from '@farhand/testkit/dice'
import { describe, expect, it } from 'vitest'
import { allPairs, planActs } from './plan.ts'
import { scenes, victims } from './steps.ts'

const nameOf = (scene: string, { step, victim }: { step: string; victim: string }) =>
  `${scene} ${step} ${victim}`

describe('the plan of a drill', () => {
  const seeds = Array.from({ length: 50 }, (_, seed) => seed)

  it('kills every process once at every step of every scene, with any seed', () => {
    const wanted = Object.entries(scenes).flatMap(([scene, steps]) =>
      steps.flatMap((step) => victims.map((victim) => nameOf(scene, { step, victim }))),
    )
    for (const seed of seeds) {
      const dice = new Dice(seed)
      const acts = planActs(allPairs(dice, false), dice)
      const planned = acts.flatMap(({ scene, phases }) => phases.flat().map((kill) => nameOf(scene, kill)))
      expect(planned.toSorted()).toEqual(wanted.toSorted())
    }
  })

  it('W29 never waits for a step that may not come: a message is continued once', () => {
    for (const seed of seeds) {
      const dice = new Dice(seed)
      for (const { phases } of planActs(allPairs(dice, true), dice)) {
        const grave = phases.map((kills) =>
          kills.filter(({ victim }) => ['runner', 'agent'].includes(victim)),
        )
        expect(grave.flat().length).toBeLessThanOrEqual(2)
        expect(grave.every((kills) => kills.length <= 1)).toBe(true)
      }
    }
  })

  it('is the same for the same seed', () => {
    const plan = () => {
      const dice = new Dice(7)
      return planActs(allPairs(dice, false), dice)
    }
    expect(plan()).toEqual(plan())
  })
})
