import { describe, expect, it } from 'vitest'
import type { Content, Outgoing } from '../engine/hub-folder.ts'
import { type Prepared, prepareContents } from './prepare-contents.ts'
import { at, file } from './run-under-test.ts'

const outgoing = (path: string, content?: Content, size = 0): Outgoing => ({
  path: at(path),
  entry: file(path),
  was: null,
  size,
  ...(content && { content }),
})
const opened = (bytes: Uint8Array | Blob | null) => async () => bytes

async function all(items: Outgoing[]): Promise<Prepared<Outgoing>[]> {
  const prepared: Prepared<Outgoing>[] = []
  for await (const next of prepareContents(items)) prepared.push(next)
  return prepared
}

const shape = (prepared: Prepared<Outgoing>[]) =>
  prepared.map((next) => (next.is === 'request' ? next.files.length : [next.is, next.item.path]))

describe('prepareContents', () => {
  it('puts into one request what fits there: contents at hand, to be opened, and none at all', async () => {
    const deletion: Outgoing = { ...outgoing('gone'), entry: null }
    const [request, ...more] = await all([
      outgoing('a', Buffer.from('a')),
      outgoing('b', opened(Buffer.from('b'))),
      outgoing('c', opened(new Blob(['c']))),
      outgoing('d'),
      deletion,
    ])
    expect(more).toEqual([])
    const bytes =
      request?.is === 'request' && request.files.map(({ bytes }) => bytes && Buffer.from(bytes).toString())
    expect(bytes).toEqual(['a', 'b', 'c', null, null])
  })

  it('S5 leaves out what has gone or changed since', async () => {
    const unreadable = new Blob(['x'])
    unreadable.arrayBuffer = () => Promise.reject(new Error('changed'))
    const items = [outgoing('a', opened(null)), outgoing('b', opened(unreadable)), outgoing('c')]
    expect(shape(await all(items))).toEqual([['gone', 'a'], ['gone', 'b'], 1])
  })

  it('lets large contents wait for the small ones, and opens those of a known size only for their upload', async () => {
    const large = Buffer.alloc(1024 * 1024 + 1)
    let opens = 0
    const known = async () => {
      opens++
      return large
    }
    const items = [
      outgoing('a', known, large.length),
      outgoing('b', large),
      outgoing('c', opened(large)),
      outgoing('d'),
    ]
    expect(shape(await all(items))).toEqual([1, ['large', 'a'], ['large', 'b'], ['large', 'c']])
    expect(opens).toBe(0)
  })

  it('W10 fills requests with 7 MiB of contents, with 1,000 files, and events of 1 MiB', async () => {
    const mebibyte = Buffer.alloc(1024 * 1024)
    expect(shape(await all(Array.from({ length: 16 }, (_, n) => outgoing(`${n}`, mebibyte))))).toEqual([
      6, 6, 4,
    ])
    expect(shape(await all(Array.from({ length: 2100 }, (_, n) => outgoing(`${n}`))))).toEqual([
      1000, 1000, 100,
    ])
    const long = Array.from({ length: 200 }, (_, n) =>
      outgoing(Array(16).fill(`${n}`.padEnd(250, 'x')).join('/')),
    )
    const sizes = shape(await all(long)) as number[]
    expect(sizes.reduce((sum, size) => sum + size)).toBe(200)
    expect(sizes.length).toBeGreaterThan(1)
  })
})
