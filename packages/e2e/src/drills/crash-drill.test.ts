import { rm } from 'node:fs/promises'
import { HubProcess } from '@farhand/testkit/hub-process'
import { seeded } from '@farhand/testkit/seeded'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { crashDrill } from './crash/crash-drill.ts'

const rounds = inject('long') ? 500 : 30

describe('the crash drill', () => {
  it(
    `W2 W4 to W9 W24 hold for a hub that is killed ${rounds} times`,
    async () => {
      const hub = await HubProcess.start()
      onTestFinished(async () => void (await hub.kill()))
      const left = () => `the data is in ${hub.data}; the hub said last: ${hub.complaints.slice(-2000)}`
      await seeded(async (seed) => {
        const { lastId, acknowledged, seen, torn } = await crashDrill(hub, seed, rounds)
        expect(lastId).toBeGreaterThan(rounds)
        console.log(
          `seed ${seed}: ${lastId} events, ${acknowledged} acknowledgements, ${seen} sightings, ${torn} torn ends`,
        )
        await rm(hub.data, { recursive: true, force: true })
      }, left)
    },
    rounds * 60_000,
  )
})
