import { Dice } from '@farhand/testkit/dice'
import { again, newSeed } from '@farhand/testkit/seeded'
import { expect, inject, it } from 'vitest'
import { planBy } from './plan.ts'
import { shrunk } from './shrunk.ts'
import { play } from './world.ts'

const worlds = inject('long') ? 40_000 : 2_500

it('S2 S4 S7 S12 after any edits, delays, kills and replacements, all folders hold what the log says and nothing is lost', async () => {
  const first = newSeed()
  const stats = { steps: 0, events: 0, deaths: 0 }
  for (let seed = first; seed < first + worlds; seed += 1) {
    const dice = new Dice(seed)
    const plan = planBy(seed, () => dice.next())
    const outcome = await play(plan, () => dice.next())
    if (outcome.broken) {
      const { why, story } = await shrunk(plan, outcome, (seed) => {
        const dice = new Dice(seed)
        return () => dice.next()
      })
      expect.fail(`${why}\n${story.join('\n')}\n${again(seed)}`)
    }
    stats.steps += outcome.steps
    stats.events += outcome.events
    stats.deaths += outcome.deaths
  }
  // A world in which nothing happens proves nothing.
  expect(stats.events).toBeGreaterThan(worlds * 3)
  expect(stats.deaths).toBeGreaterThan(worlds / 4)
}, 10_000_000)
