import { describe, expect, it } from 'vitest'
import { mergeGenerators } from './merge-generators.ts'

const never = new AbortController().signal

describe('mergeGenerators', () => {
  it('gives everything of all sources, never reading more than its width at once', async () => {
    let open = 0
    let most = 0
    const source = (from: number) =>
      async function* () {
        most = Math.max(most, ++open)
        for (let n = from; n < from + 3; n++) {
          await new Promise(setImmediate)
          yield n
        }
        open--
      }
    const seen: number[] = []
    for await (const n of mergeGenerators(2, [0, 10, 20, 30].map(source), never)) seen.push(n)
    expect(seen.sort((a, b) => a - b)).toEqual([0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32])
    expect(most).toBe(2)
  })

  it('does not wait for a slow one to give what another has', async () => {
    let go = () => {}
    const slow = async function* () {
      await new Promise<void>((resolve) => (go = resolve))
      yield 'slow'
    }
    const quick = async function* () {
      yield 'quick'
    }
    const items = mergeGenerators(2, [slow, quick], never)
    expect((await items.next()).value).toBe('quick')
    go()
    expect((await items.next()).value).toBe('slow')
    expect((await items.next()).done).toBe(true)
  })

  it('ends the others when one fails, and when the caller stops reading', async () => {
    let ended = 0
    const waits = async function* (signal: AbortSignal) {
      yield 'first'
      try {
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      } finally {
        ended++
      }
    }
    const fails = async function* () {
      yield 'last'
      throw new Error('it broke')
    }
    const all = async () => {
      for await (const _ of mergeGenerators(3, [waits, fails, waits], never));
    }
    await expect(all()).rejects.toThrow('it broke')
    expect(ended).toBe(2)
    for await (const item of mergeGenerators(2, [waits, waits], never)) if (item === 'first') break
    expect(ended).toBeGreaterThanOrEqual(3)
  })
})
