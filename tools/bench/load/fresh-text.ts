import { seededRandom } from '@farhand/kit/seeded-random'

/** Bytes of text that occur nowhere else: a store that keeps equal contents once must not have an easy time. */
export function freshText(bytes: number, next: () => number): Buffer {
  const head = `${next()} ${next()}\n`
  const start = Math.floor(next() * (pool.length - 1))
  const content = Buffer.allocUnsafe(bytes)
  for (let at = 0; at < bytes; ) at += pool.copy(content, at, at === 0 ? start : 0)
  content.write(head.slice(0, bytes), 0, 'latin1')
  return content
}

const pool = Buffer.alloc(1024 * 1024)
const next = seededRandom(1)
for (let at = 0; at < pool.length; at++) pool[at] = at % 80 === 79 ? 10 : 32 + Math.floor(next() * 90)
