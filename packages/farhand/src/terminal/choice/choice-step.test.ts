import { expect, it } from 'vitest'
import { KeyReader } from '../keys/key-reader.ts'
import { type Choices, choiceStep } from './choice-step.ts'

/** What the first key of these does that does anything. */
function pressed(keys: string, choices: Choices) {
  const reader = new KeyReader()
  const all = [...reader.take(new TextEncoder().encode(keys)), ...reader.waited()]
  return all.map((key) => choiceStep(key, choices)).find(({ is }) => is !== 'nothing') ?? null
}

it('takes the entry of a number, and the usual one with Enter', () => {
  const three = { many: 3, usual: 1 }
  expect(pressed('3', three)).toEqual({ is: 'chosen', at: 2 })
  expect(pressed('\r', three)).toEqual({ is: 'chosen', at: 1 })
  expect(pressed('4', three)).toBeNull()
  expect(pressed('0', three)).toBeNull()
  expect(pressed('\r', { many: 3, usual: null })).toBeNull()
})

it('takes nothing with Escape, Ctrl-C or Ctrl-D, nor with keys that mean nothing here', () => {
  for (const key of ['\x1b', '\x04']) expect(pressed(key, { many: 9, usual: 0 })).toEqual({ is: 'left' })
  expect(pressed('\x03', { many: 9, usual: 0 })).toEqual({ is: 'interrupted' })
  for (const key of ['x', '\x1b[A', '12', '\x1b[200~1\x1b[201~'])
    expect(pressed(key, { many: 9, usual: 0 })).toBeNull()
})
