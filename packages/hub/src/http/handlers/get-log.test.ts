import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Exchange } from '../exchange/exchange.ts'
import type { HubParts } from '../hub-parts/hub-parts.ts'
import { getLog } from './get-log.ts'

const pieces = 5

/** A log of a few pieces that are there at once, and a reader who takes one only when told to. */
function scene(bodyTimeoutMs = 60_000) {
  const reads: number[] = []
  const taken: string[] = []
  const take: (() => void)[] = []
  const log = {
    head: async () => ({ lastId: pieces }),
    read: async (_run: string, after: number) => {
      reads.push(after)
      return { lastId: after + 1, bytes: Buffer.from(`${after + 1}\n`) }
    },
  }
  const parts = {
    config: { bodyTimeoutMs },
    log,
    directory: { known: () => undefined, run: async () => ({ id: 'run_1' }) },
  }
  const res = Object.assign(
    new Writable({
      highWaterMark: 1,
      write(bytes, _, done) {
        take.push(() => {
          taken.push(String(bytes))
          done()
        })
      },
    }),
    { writeHead: () => {}, setHeader: () => {} },
  )
  const exchange = {
    res,
    req: { headers: {} },
    params: {},
    query: new URLSearchParams(),
    who: { kind: 'user' },
  }
  const served = getLog(parts as never as HubParts, exchange as never as Exchange)
  return { reads, taken, take, res: res as never as ServerResponse, served }
}

describe('GET sync/log', () => {
  it('W20 for a reader who takes nothing, one piece is held and one is read ahead', async () => {
    const { reads, taken, take, served } = scene()
    await turn()
    expect(reads).toEqual([0, 1])
    take.shift()!()
    await turn()
    expect(reads).toEqual([0, 1, 2])
    while (taken.length < pieces) {
      take.shift()?.()
      await turn()
    }
    await served
    expect(taken.join('')).toBe('1\n2\n3\n4\n5\n')
  })

  it('W20 once a reader has left, the hub reads no more for it', async () => {
    const { reads, res, served } = scene()
    await turn()
    res.destroy()
    await served
    expect(reads).toEqual([0, 1])
  })

  it('W20 a reader that takes nothing for too long is disconnected', async () => {
    const { reads, res, served } = scene(1)
    await once(res, 'close')
    await served
    expect(reads).toEqual([0, 1])
  })
})
