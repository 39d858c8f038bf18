import { type Line, sampleLog, web } from '@farhand/protocol/events/sample-log'
import { newId, RunId } from '@farhand/protocol/wire/ids'
import { describe, expect, it } from 'vitest'
import { CacheWriter } from './cache-writer.ts'
import { memoryRunCache } from './memory-run-cache.ts'

const run = newId(RunId, 'run')
const line: Line = [web, '_posthog/user_message', { content: 'hello' }]
const events = sampleLog(...Array.from({ length: 1200 }, () => line))

/** A cache that notes how many events it is given at a time. */
function noted() {
  const cache = memoryRunCache()
  const sizes: number[] = []
  const add: typeof cache.add = (of, some) => {
    sizes.push(some.length)
    return cache.add(of, some)
  }
  return { cache: { ...cache, add }, sizes }
}

describe('the portions written to a cache', () => {
  it('come some at a time and without a gap, no matter how many there are', async () => {
    const { cache, sizes } = noted()
    const writer = new CacheWriter(cache, run)
    writer.add(events.slice(0, 700))
    writer.add(events.slice(700))
    expect(sizes).toEqual([])
    await writer.flush()
    expect(sizes).toEqual([500, 500, 200])
    expect((await cache.read(run)).map(({ id }) => id)).toEqual(events.map(({ id }) => id))
  })

  it('do not include events that were dropped before', async () => {
    const { cache, sizes } = noted()
    const writer = new CacheWriter(cache, run)
    writer.add(events.slice(0, 10))
    writer.drop()
    await writer.flush()
    expect(sizes).toEqual([])
  })
})
