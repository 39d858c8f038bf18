import { rm } from 'node:fs/promises'
import { seeded } from '@farhand/testkit/seeded'
import { expect, inject, it } from 'vitest'
import { Stage } from './turn-drill/stage.ts'
import { turnDrill } from './turn-drill/turn-drill.ts'

const steps = inject('long') ? 500 : 25

it(
  `W29 W30 hold for ${steps} actions of a user while the hub, the runner, its agent and connections die`,
  async () => {
    let home = ''
    const drill = async (seed: number) => {
      const stage = await Stage.set(seed)
      home = stage.home
      try {
        const { messages, events, wrongs } = await turnDrill(stage, seed, steps)
        expect(wrongs).toEqual([])
        expect(messages.filter(({ stopReason }) => stopReason === 'end_turn').length).toBeGreaterThan(0)
        const again = messages.filter(({ attempts }) => attempts.length > 1).length
        const struck = JSON.stringify(stage.struck)
        console.log(
          `seed ${seed}: ${messages.length} messages, ${again} begun again, ${events.length} events, killed ${struck}`,
        )
      } finally {
        await stage.close()
      }
      await rm(stage.home, { recursive: true, force: true })
    }
    await seeded(drill, () => `everything is in ${home}`)
  },
  steps * 30_000,
)
