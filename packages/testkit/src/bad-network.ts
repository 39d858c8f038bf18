import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { BadConnection } from './bad-connection.ts'
import { Dice } from './dice.ts'
import { badConditions, isFatal, type Mishap, mishaps, type NetworkConditions } from './mishaps.ts'

export type BadNetwork = {
  url: string
  /** How often each mishap has happened. */
  counts: Record<Mishap, number>
  /** How many connections were ended, one way or the other. */
  broken(): number
  /** Resolves when that many connections were ended. */
  untilBroken(number: number): Promise<void>
  /** From now on there are no mishaps; stalled connections stay stalled. */
  calm(): void
  close(): Promise<void>
}

export type BadNetworkOptions = { port: number; seed: number; conditions?: NetworkConditions }

/**
 * A proxy to a server on this machine that loses, breaks and delays connections. The same seed plans the same mishap for the
 * nth connection. Time and packet sizes are real, so two runs are alike, not equal.
 */
export async function badNetwork({
  port,
  seed,
  conditions = badConditions,
}: BadNetworkOptions): Promise<BadNetwork> {
  const dice = new Dice(seed)
  const lines = new Set<BadConnection>()
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
    const line = new BadConnection(near, far, dice.fork(), conditions, onMishap)
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
