import { laptop } from '@farhand/protocol/events/sample-log'
import { beforeEach, describe, expect, it } from 'vitest'
import { chunkOf } from './log-chunk.ts'
import { said } from './log-under-test.ts'
import { ProducerIdSearch } from './producer-id-search.ts'
import { decodeLine, encodeLine } from './stored-line.ts'

const producer = `device:${laptop.kind === 'device' ? laptop.id : ''}\np`
const timestamp = '2026-01-01T00:00:00.000Z'
const lines = [0, 1, 2, 3].map((seq) =>
  encodeLine({
    id: seq + 1,
    type: 'notification',
    timestamp,
    notification: said(`${seq}`),
    by: laptop,
    producer: { id: 'p', epoch: 0, seq },
  }),
)

let reads: number
let busy: number
let recall: ProducerIdSearch

beforeEach(() => {
  reads = 0
  busy = 0
  recall = new ProducerIdSearch(async (after) => {
    reads += 1
    busy += 1
    await new Promise(setImmediate)
    if (busy > 1) throw new Error('two searches at once')
    busy -= 1
    const rest = lines.slice(after)
    return rest.length > 0 ? chunkOf(Buffer.from(rest.join(''))) : null
  })
})

const of = (seq: number, count = 1, forkedAt = 0) => ({ producer, epoch: 0, seq, count, forkedAt })

describe('recalling the ids of old events', () => {
  it('W7 searches for one at a time', async () => {
    const found = await Promise.all([recall.idsOf(of(0)), recall.idsOf(of(1, 2)), recall.idsOf(of(3))])
    expect(found).toEqual([[1], [2, 3], [4]])
  })

  it('W7 searches once for all callers that ask the same', async () => {
    const found = await Promise.all(Array.from({ length: 10 }, () => recall.idsOf(of(1, 2))))
    expect(found).toEqual(found.map(() => [2, 3]))
    expect(reads).toBe(1)
    expect(await recall.idsOf(of(1, 2))).toEqual([2, 3])
    expect(reads).toBe(2)
  })

  it('W7 goes on after a search that failed', async () => {
    const found = await Promise.allSettled([recall.idsOf(of(3, 2)), recall.idsOf(of(2))])
    expect(found).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: [3] }])
  })

  it('W39 does not count what another run had from the same producer', async () => {
    const copied = lines.slice(0, 2)
    const own = lines.map((line) => {
      const event = decodeLine(line.trimEnd())!
      return encodeLine({ ...event, id: event.id + 2 })
    })
    const all = [...copied, ...own]
    const fork = new ProducerIdSearch(async (after) => chunkOf(Buffer.from(all.slice(after).join(''))))
    expect(await fork.idsOf(of(0, 2, 2))).toEqual([3, 4])
  })
})
