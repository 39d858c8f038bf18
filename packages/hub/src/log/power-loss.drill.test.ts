import { expect, inject, it } from 'vitest'
import { LogDrill } from './log-drill.ts'

function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const logs = inject('long') ? 1000 : 100
const rounds = 20

it('W5 W6 W7 W8 W9 no crash, power loss or failing disk loses, doubles or changes what anyone was told', async () => {
  const first = Date.now() % 1_000_000
  const stats = { refused: 0, crashes: 0, events: 0 }
  for (let seed = first; seed < first + logs; seed += 1) {
    const drill = new LogDrill(seededRandom(seed))
    for (let round = 0; round < rounds; round += 1) {
      await drill.round().catch((cause) => {
        throw new Error(`seed ${seed}, round ${round}: ${cause.message}`, { cause })
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
