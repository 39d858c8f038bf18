import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Key, KeyReader } from './key-reader.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const keysOf = (text: string) => new KeyReader().take(bytes(text))
const names = (text: string) => keysOf(text).map(({ is }) => is)

describe('what a terminal sends', () => {
  it('is characters as they come, and keys by their names', () => {
    expect(keysOf('hé\r')).toEqual([{ is: 'text', text: 'hé' }, { is: 'enter' }])
    expect(names('\x1b[A\x1bOB\x1b[1;5D\x1b[1;3C\x1b[H\x1b[4~\x1b[3~')).toEqual([
      'up',
      'down',
      'word-left',
      'word-right',
      'home',
      'end',
      'delete',
    ])
    expect(names('\x01\x05\x0b\x15\x17\x19\x03\x04')).toEqual([
      'home',
      'end',
      'kill-to-end',
      'kill-to-start',
      'kill-word',
      'yank',
      'interrupt',
      'end-of-input',
    ])
  })

  it('has a new line in it with Alt and Enter, Shift and Enter, or Ctrl-J', () => {
    expect(names('\x1b\r\x1b[13;2u\x1b[27;2;13~\n')).toEqual(['newline', 'newline', 'newline', 'newline'])
  })

  it('is ignored if it is unknown', () => {
    expect(names('\x1b[?1;2c\x1b[24~\x1bz\x00')).toEqual([])
  })

  it('is one text if it was pasted, even if that looks like keys', () => {
    expect(keysOf('\x1b[200~one\r\ntwo\x03\x1b[A\tend\x1b[201~!')).toEqual([
      { is: 'paste', text: 'one\ntwo[A    end' },
      { is: 'text', text: '!' },
    ])
  })

  it('is Escape only once nothing follows it', () => {
    const reader = new KeyReader()
    expect(reader.take(bytes('\x1b'))).toEqual([])
    expect(reader.waitsFor).toBe('key')
    expect(reader.waited()).toEqual([{ is: 'escape' }])
    expect(reader.waitsFor).toBe(null)
  })

  it('is a paste whose end never comes: what there is of it is kept, and Ctrl-C is Ctrl-C again', () => {
    const reader = new KeyReader()
    expect(reader.take(bytes('\x1b[200~one\rtwo\r'))).toEqual([])
    expect(reader.waitsFor).toBe('paste')
    expect(reader.waited()).toEqual([{ is: 'paste', text: 'one\ntwo' }])
    expect(reader.waitsFor).toBe(null)
    // It only took a while: nothing in the rest may act as a key, or send half of it.
    expect(reader.take(bytes('\nthree\x03\r'))).toEqual([])
    expect(reader.waited()).toEqual([{ is: 'paste', text: '\nthree' }])
    expect(reader.take(bytes('\x03a'))).toEqual([
      { is: 'paste', text: '\n' },
      { is: 'menu' },
      { is: 'text', text: 'a' },
    ])
    expect(reader.take(bytes('\x03'))).toEqual([{ is: 'interrupt' }])
  })

  it('has one end of a paste, also if that came late', () => {
    const reader = new KeyReader()
    reader.take(bytes('\x1b[200~one\x1b[20'))
    expect(reader.waited()).toEqual([{ is: 'paste', text: 'one' }])
    expect(reader.take(bytes('1~x'))).toEqual([{ is: 'text', text: 'x' }])
  })

  it('means the same, no matter in which pieces it arrives', () => {
    const all = 'añ😀\x1b[A\x1b[200~x\r\ny\x1b[201~\x1b\rb\x1b[1;5C\x03語'
    const whole = joined(keysOf(all))
    const cuts = fc.array(fc.integer({ min: 0, max: bytes(all).length }))
    fc.assert(
      fc.property(cuts, (places) => {
        const reader = new KeyReader()
        const ends = [...places, bytes(all).length].sort((a, b) => a - b)
        const keys = ends.flatMap((end, at) => reader.take(bytes(all).subarray(ends[at - 1] ?? 0, end)))
        expect(joined(keys)).toEqual(whole)
      }),
    )
  })
})

/** Characters that came one by one are the same as those that came at once. */
function joined(keys: readonly Key[]): Key[] {
  const all: Key[] = []
  for (const key of keys) {
    const last = all.at(-1)
    if (key.is === 'text' && last?.is === 'text')
      all[all.length - 1] = { is: 'text', text: last.text + key.text }
    else all.push(key)
  }
  return all
}
