import { describe, expect, it } from 'vitest'
import { KeyedLock } from './keyed-lock.ts'

function held() {
  let resolve: (result: string) => void = () => {}
  let reject: (error: Error) => void = () => {}
  const promise = new Promise<string>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { act: () => promise, resolve, reject }
}

describe('a keyed lock', () => {
  it('lets sharers of a key run side by side', async () => {
    const lock = new KeyedLock()
    const [one, two] = [held(), held()]
    const both = Promise.all([lock.shared('a', one.act), lock.shared('a', two.act)])
    two.resolve('two')
    one.resolve('one')
    expect(await both).toEqual(['one', 'two'])
  })

  it('gives no exclusive hold on a key while it is shared, and says so at once', async () => {
    const lock = new KeyedLock()
    const [one, two] = [held(), held()]
    const sharing = [lock.shared('a', one.act), lock.shared('a', two.act)]
    expect(await lock.exclusive('a', async () => 'in')).toBe('busy')
    one.resolve('')
    await sharing[0]
    expect(await lock.exclusive('a', async () => 'in')).toBe('busy')
    two.resolve('')
    await sharing[1]
    expect(await lock.exclusive('a', async () => 'in')).toBe('in')
  })

  it('makes sharers wait for the exclusive holder, even if that fails', async () => {
    const lock = new KeyedLock()
    const one = held()
    const order: string[] = []
    const alone = lock.exclusive('a', one.act).catch(() => order.push('alone failed'))
    const sharing = lock.shared('a', async () => order.push('shared'))
    expect(await lock.exclusive('a', async () => 'in')).toBe('busy')
    expect(order).toEqual([])
    one.reject(new Error('no'))
    await Promise.all([alone, sharing])
    expect(order).toEqual(['alone failed', 'shared'])
  })

  it('counts as taken for work that the exclusive holder itself begins', async () => {
    const lock = new KeyedLock()
    const order: string[] = []
    let sharing: Promise<unknown> | undefined
    await lock.exclusive('a', async () => {
      sharing = lock.shared('a', async () => order.push('shared'))
      expect(await lock.exclusive('a', async () => 'in')).toBe('busy')
      order.push('alone')
    })
    await sharing
    expect(order).toEqual(['alone', 'shared'])
  })

  it('keeps keys apart', async () => {
    const lock = new KeyedLock()
    const one = held()
    const alone = lock.exclusive('a', one.act)
    expect(await lock.shared('b', async () => 'shared')).toBe('shared')
    expect(await lock.exclusive('b', async () => 'alone')).toBe('alone')
    one.resolve('done')
    expect(await alone).toBe('done')
  })

  it('shares several keys only when none of them is held exclusively, and each of them counts as taken', async () => {
    const lock = new KeyedLock()
    const [alone, sharing] = [held(), held()]
    const order: string[] = []
    const first = lock.exclusive('b', alone.act).then(() => order.push('alone'))
    const both = lock.sharedAll(['a', 'b', 'a'], () => {
      order.push('shared')
      return sharing.act()
    })
    alone.resolve('')
    await first
    while (order.length < 2) await Promise.resolve()
    expect(order).toEqual(['alone', 'shared'])
    for (const key of ['a', 'b']) expect(await lock.exclusive(key, async () => 'in')).toBe('busy')
    sharing.resolve('')
    await both
    for (const key of ['a', 'b']) expect(await lock.exclusive(key, async () => 'in')).toBe('in')
  })

  it('is free again after a failure', async () => {
    const lock = new KeyedLock()
    const fail = async () => {
      throw new Error('no')
    }
    await expect(lock.shared('a', fail)).rejects.toThrow('no')
    await expect(lock.exclusive('a', fail)).rejects.toThrow('no')
    expect(await lock.exclusive('a', async () => 'in')).toBe('in')
  })
})
