import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { BadLine } from './bad-line.ts'
import { Dice } from './dice.ts'
import { type Climate, isFatal, type Mishap, mishaps, stormy } from './fate.ts'

export type BadNetwork = {
  url: string
  /** How often each has happened. */
  counts: Record<Mishap, number>
  /** How many connections were ended, one way or the other. */
  broken(): number
  /** Resolves when that many were. */
  untilBroken(number: number): Promise<void>
  /** From now on it is a good network; what is stalled stays so. */
  calm(): void
  close(): Promise<void>
}

export type BadNetworkOptions = { port: number; seed: number; climate?: Climate }

/**
 * A way to a server on this machine that loses, breaks and delays connections. The same seed gives the nth connection
 * the same fate. Time and the size of packets are those of the real world, so runs are alike, not equal.
 */
export async function badNetwork({ port, seed, climate = stormy }: BadNetworkOptions): Promise<BadNetwork> {
  const dice = new Dice(seed)
  const lines = new Set<BadLine>()
  const counts = Object.fromEntries(mishaps.map((mishap) => [mishap, 0])) as Record<Mishap, number>
  const waiting: { number: number; resolve: () => void }[] = []
  let calm = false
  const broken = () => mishaps.filter(isFatal).reduce((sum, mishap) => sum + counts[mishap], 0)
  const onMishap = (mishap: Mishap) => {
    counts[mishap]++
    for (const { number, resolve } of waiting) if (broken() >= number) resolve()
  }
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const line = new BadLine(near, far, dice.fork(), climate, onMishap)
    if (calm) line.spare()
    lines.add(line)
    near.once('close', () => lines.delete(line))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    broken,
    untilBroken: (number) =>
      new Promise((resolve) => {
        if (broken() >= number) resolve()
        else waiting.push({ number, resolve })
      }),
    calm() {
      calm = true
      for (const line of lines) line.spare()
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const line of lines) line.end()
      await closed
    },
  }
}
