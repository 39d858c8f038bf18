import { rm } from 'node:fs/promises'
import { expect, inject, it } from 'vitest'
import { Stage } from './turn-drill/stage.ts'
import { turnDrill } from './turn-drill/turn-drill.ts'

const steps = inject('long') ? 500 : 25

it(
  `W29 W30 hold for ${steps} actions of a user while the hub, the runner, its agent and connections die`,
  async () => {
    const seed = inject('seed') ?? Math.floor(Math.random() * 2 ** 32)
    const stage = await Stage.set(seed)
    try {
      const { messages, events, wrongs } = await turnDrill(stage, seed, steps)
      expect(wrongs).toEqual([])
      expect(messages.filter(({ stopReason }) => stopReason === 'end_turn').length).toBeGreaterThan(0)
      const again = messages.filter(({ attempts }) => attempts.length > 1).length
      const struck = JSON.stringify(stage.struck)
      console.log(
        `seed ${seed}: ${messages.length} messages, ${again} begun again, ${events.length} events, killed ${struck}`,
      )
      await stage.close()
      await rm(stage.home, { recursive: true, force: true })
    } catch (cause) {
      await stage.close()
      throw new Error(
        [
          `seed ${seed}: ${(cause as Error).message}`,
          `again with: npm test -- packages/e2e/src/drills/turn-drill.test.ts --seed ${seed}${inject('long') ? ' --long' : ''}`,
          `everything is in ${stage.home}`,
        ].join('\n'),
        { cause },
      )
    }
  },
  steps * 30_000,
)
