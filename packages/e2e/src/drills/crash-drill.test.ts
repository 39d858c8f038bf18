import { rm } from 'node:fs/promises'
import { HubProcess } from '@farhand/testkit/hub-process'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { crashDrill } from './crash/crash-drill.ts'

const rounds = inject('long') ? 500 : 30

describe('the crash drill', () => {
  it(
    `W2 W4 to W9 W24 hold for a hub that is killed ${rounds} times`,
    async () => {
      const seed = inject('seed') ?? Math.floor(Math.random() * 2 ** 32)
      const hub = await HubProcess.start()
      onTestFinished(async () => void (await hub.kill()))
      try {
        const { lastId, acknowledged, seen, torn } = await crashDrill(hub, seed, rounds)
        expect(lastId).toBeGreaterThan(rounds)
        console.log(
          `seed ${seed}: ${lastId} events, ${acknowledged} acknowledgements, ${seen} sightings, ${torn} torn ends`,
        )
        await rm(hub.data, { recursive: true, force: true })
      } catch (cause) {
        throw new Error(
          [
            `seed ${seed}: ${(cause as Error).message}`,
            `again with: npm test -- packages/e2e/src/drills/crash-drill.test.ts --seed ${seed}${inject('long') ? ' --long' : ''}`,
            `the data is in ${hub.data}; the hub said last: ${hub.complaints.slice(-2000)}`,
          ].join('\n'),
          { cause },
        )
      }
    },
    rounds * 60_000,
  )
})
