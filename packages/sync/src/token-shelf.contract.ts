import { expect, it } from 'vitest'
import type { TokenShelf } from './token-shelf.ts'

/** What may be relied on wherever tokens are kept; `open` opens the same place again, as another process would. */
export function tokenShelfContract(begin: () => Promise<{ open: () => TokenShelf }>): void {
  it('keeps a token for each hub, also for those who come later', async () => {
    const { open } = await begin()
    expect(open().of('http://a')).toBeNull()
    open().keep('http://a', 'one')
    open().keep('http://b', 'two')
    expect(open().of('http://a')).toBe('one')
    expect(open().of('http://b')).toBe('two')
    expect(open().urls()).toEqual(['http://a', 'http://b'])
  })

  it('keeps the newest token of a hub', async () => {
    const { open } = await begin()
    const shelf = open()
    shelf.keep('http://a', 'one')
    expect(shelf.of('http://a')).toBe('one')
    open().keep('http://a', 'two')
    shelf.keep('http://a', 'three')
    expect(shelf.of('http://a')).toBe('three')
    expect(open().of('http://a')).toBe('three')
  })

  it('forgets one hub and no other, and says whether it knew it', async () => {
    const { open } = await begin()
    open().keep('http://a', 'one')
    open().keep('http://b', 'two')
    expect(open().forget('http://a')).toBe(true)
    expect(open().forget('http://a')).toBe(false)
    expect(open().of('http://a')).toBeNull()
    expect(open().urls()).toEqual(['http://b'])
  })
}
