import { type FollowOptions, follow } from '@farhand/client/follow/follow'
import type { Followed } from '@farhand/client/follow/follow-step'
import type { Hub } from '@farhand/client/requests/hub'
import { sleep } from '@farhand/kit/sleep'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { Dice } from '@farhand/testkit/dice'

/** A reader of a run up to its end, and what it must have seen by then. */
export type Reader = {
  name: string
  read: (hub: Hub, at: RunAddress, options: FollowOptions) => Promise<unknown[]>
  expected: (log: SeenEvent[]) => unknown[]
}

const bare = ({ id, notification }: SeenEvent): Followed => ({ id, notification })

export const plain: Reader = {
  name: 'plain',
  async read(hub, at, options) {
    const seen: unknown[] = []
    for await (const event of follow(hub, at, options)) seen.push(event)
    return seen
  },
  expected: (log) => log.map(bare),
}

export const stored: Reader = {
  name: 'stored',
  async read(hub, at, options) {
    const seen: unknown[] = []
    for await (const event of follow(hub, at, { ...options, envelope: 'stored' })) seen.push(event)
    return seen
  },
  expected: (log) => log,
}

/** Reads what a runner reads: everything but what runners wrote. */
export const agent: Reader = {
  name: 'to=agent',
  read: (hub, at, options) => plain.read(hub, at, { ...options, to: 'agent' }),
  expected: (log) => log.filter(({ by }) => by.kind !== 'runner').map(bare),
}

/** Falls behind and catches up, over and over. */
export const slow: Reader = {
  name: 'slow',
  async read(hub, at, options) {
    const seen: unknown[] = []
    const dice = new Dice(4)
    for await (const event of follow(hub, at, options)) {
      seen.push(event)
      if (dice.chance(0.01)) await sleep(dice.between(20, 200))
    }
    return seen
  },
  expected: plain.expected,
}

/** Goes away every now and then, also in the middle of handling an event, and comes back with the cursor it kept. */
export const restless: Reader = {
  name: 'restless',
  async read(hub, at, options) {
    const seen: Followed[] = []
    const dice = new Dice(5)
    for (;;) {
      let left = dice.between(1, 100)
      for await (const event of follow(hub, at, { ...options, after: seen.at(-1)?.id ?? 0 })) {
        if (left-- === 0) break
        seen.push(event)
      }
      if (left >= 0) return seen
    }
  },
  expected: plain.expected,
}
