/** Numbers from 0 up to 1 that look random and are the same for the same seed. */
export function chance(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

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
const next = chance(1)
for (let at = 0; at < pool.length; at++) pool[at] = at % 80 === 79 ? 10 : 32 + Math.floor(next() * 90)
