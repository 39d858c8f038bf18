import { Dice } from '@farhand/testkit/dice'
import { again, newSeed } from '@farhand/testkit/seeded'
import { expect, inject, it } from 'vitest'
import { LogDrill } from './log-drill-under-test.ts'

const logs = inject('long') ? 1000 : 100
const rounds = 20

it('W5 W6 W7 W8 W9 no crash, power loss or failing disk loses, doubles or changes what writers and readers were told', async () => {
  const first = newSeed()
  const stats = { refused: 0, crashes: 0, events: 0 }
  for (let seed = first; seed < first + logs; seed += 1) {
    const dice = new Dice(seed)
    const drill = new LogDrill(() => dice.next())
    for (let round = 0; round < rounds; round += 1) {
      await drill.round().catch((cause) => {
        throw new Error(`round ${round}: ${cause.message}\n${again(seed)}`, { cause })
      })
    }
    stats.refused += drill.stats.refused
    stats.crashes += drill.stats.crashes
    stats.events += drill.stats.events
  }
  // A drill in which nothing happens proves nothing.
  expect(stats.refused).toBeGreaterThan(logs)
  expect(stats.crashes).toBeGreaterThan(logs)
  expect(stats.events).toBeGreaterThan(logs)
}, 300_000)
