import { setTimeout as wait } from 'node:timers/promises'

/** From the moment before a message was sent to the first word of the answer, and to the end of the turn. */
export type TurnTimes = { firstMs: number; wholeMs: number }

export type Talks = { turn(text: string): Promise<TurnTimes> }

/** Each gets `count` messages, one about every `everyMs`, none in step with another. */
export async function turnsOfAll(
  all: readonly Talks[],
  count: number,
  everyMs: number,
): Promise<TurnTimes[]> {
  const times = await Promise.all(
    all.map(async (one) => {
      const own: TurnTimes[] = []
      await wait(Math.random() * everyMs)
      for (let n = 0; n < count; n++) {
        const times = await one.turn(`say "word ${n}"`)
        own.push(times)
        await wait(Math.max(0, everyMs * (0.5 + Math.random()) - times.wholeMs))
      }
      return own
    }),
  )
  return times.flat()
}
