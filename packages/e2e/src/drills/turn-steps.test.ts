import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { turnSteps } from './turn-steps/turn-steps.ts'

const isLong = inject('long')

it(
  'W29 W30 hold when the runner, the agent, the hub and the client are killed at half of the steps of a turn, or at each if it may take long',
  async () => {
    const seed = inject('seed') ?? Math.floor(Math.random() * 2 ** 32)
    const home = await realpath(await mkdtemp(join(tmpdir(), 'farhand-turn-steps-')))
    try {
      const { kills, messages, events, wrongs } = await turnSteps(
        home,
        seed,
        isLong ? 3 : 1,
        isLong ? 1 : 0.5,
      )
      expect(wrongs).toEqual([])
      console.log(`seed ${seed}: ${kills} kills, ${messages} messages, ${events} events`)
      await rm(home, { recursive: true, force: true })
    } catch (cause) {
      throw new Error(
        [
          `seed ${seed}: ${(cause as Error).message}`,
          `again with: npm test -- packages/e2e/src/drills/turn-steps.test.ts --seed ${seed}${isLong ? ' --long' : ''}`,
          `everything is in ${home}`,
        ].join('\n'),
        { cause },
      )
    }
  },
  isLong ? 7_200_000 : 1_800_000,
)
