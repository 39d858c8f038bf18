import { rm, writeFile } from 'node:fs/promises'
import { seeded } from '@farhand/testkit/seeded'
import { expect, inject, it } from 'vitest'
import { Stage } from './sync-drill/stage.ts'
import { syncDrill } from './sync-drill/sync-drill.ts'

const roundMs = 12_000
const rounds = inject('long') ? 40 : 1

it(
  `S2 S4 S6 S8 S12 hold for two linked folders in ${rounds} rounds of edits, broken connections and killed processes`,
  async () => {
    let home = ''
    const drill = async (seed: number) => {
      const stage = await Stage.set(seed)
      home = stage.home
      try {
        const { changes, judged, owed, events } = await syncDrill(stage, seed, rounds, roundMs)
        for (const { complaints } of [stage.process, stage.laptop, stage.sandbox]) expect(complaints).toBe('')
        expect(judged).toBeGreaterThan(0)
        expect(owed).toBeGreaterThan(0)
        console.log(
          `seed ${seed}: ${changes} changes, ${events} events, ${stage.killed} kills, ${stage.broken} connections broken; ` +
            `${judged} paths won, ${owed} versions kept`,
        )
      } catch (error) {
        await stage.close()
        for (const name of ['laptop', 'sandbox'] as const)
          await writeFile(
            `${stage.home}/${name}.said`,
            stage[name].said.map((line) => `${JSON.stringify(line)}\n`),
          )
        throw error
      }
      await stage.close()
      await rm(stage.home, { recursive: true, force: true })
    }
    await seeded(drill, () => `everything is in ${home}`)
  },
  rounds * (roundMs + 900_000),
)
