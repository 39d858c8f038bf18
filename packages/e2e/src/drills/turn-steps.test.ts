import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seeded } from '@farhand/testkit/seeded'
import { expect, inject, it } from 'vitest'
import { turnSteps } from './turn-steps/turn-steps.ts'

const isLong = inject('long')

it(
  'W29 W30 hold when the runner, the agent, the hub and the client are killed at half of the steps of a turn, or at each if it may take long',
  async () => {
    const home = await realpath(await mkdtemp(join(tmpdir(), 'farhand-turn-steps-')))
    const drill = async (seed: number) => {
      const [rounds, share] = isLong ? ([3, 1] as const) : ([1, 0.5] as const)
      const { kills, messages, events, wrongs } = await turnSteps(home, seed, rounds, share)
      expect(wrongs).toEqual([])
      console.log(`seed ${seed}: ${kills} kills, ${messages} messages, ${events} events`)
      await rm(home, { recursive: true, force: true })
    }
    await seeded(drill, () => `everything is in ${home}`)
  },
  isLong ? 7_200_000 : 1_800_000,
)
