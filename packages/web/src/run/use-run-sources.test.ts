import { describe, expect, it } from 'vitest'
import { cachedBlobs } from './use-run-sources.ts'

function counted(answers: Record<string, number | null>, mostBytes: number) {
  const asked: string[] = []
  const fetch = cachedBlobs(async (hash) => {
    asked.push(hash)
    const size = answers[hash] ?? null
    if (size === null) throw new Error('gone')
    return new Uint8Array(size)
  }, mostBytes)
  return { asked, fetch }
}

describe('cached blobs', () => {
  it('are fetched once, also when they are asked for twice at the same time', async () => {
    const { asked, fetch } = counted({ a: 1 }, 10)
    await Promise.all([fetch('a'), fetch('a')])
    await fetch('a')
    expect(asked).toEqual(['a'])
  })

  it('are dropped when there are too many bytes, the least recently used first', async () => {
    const { asked, fetch } = counted({ a: 4, b: 4, c: 4 }, 10)
    for (const hash of ['a', 'b', 'a', 'c', 'a', 'b']) await fetch(hash)
    expect(asked).toEqual(['a', 'b', 'c', 'b'])
  })

  it('that could not be fetched are requested again', async () => {
    const answers: Record<string, number | null> = { a: null }
    const { asked, fetch } = counted(answers, 10)
    await expect(fetch('a')).rejects.toThrow('gone')
    answers.a = 1
    expect(await fetch('a')).toHaveLength(1)
    expect(asked).toEqual(['a', 'a'])
  })
})
