import { expect, it } from 'vitest'
import { seal, sealingKey, unseal } from './sealed.ts'

const key = sealingKey('a key of an operator, long enough')
const place = ['prj_1', 'TOKEN', 'env', '']

it('a sealed value can be opened with the same key and the same context', () => {
  const sealed = seal(key, place, 'håndværk\n')
  expect(unseal(sealingKey('a key of an operator, long enough'), place, sealed)).toBe('håndværk\n')
  expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('hånd')
})

it('the same value is never sealed to the same bytes twice', () => {
  expect(seal(key, place, 'value')).not.toBe(seal(key, place, 'value'))
})

it('does not open with another key, in another context, or changed by one bit', () => {
  const sealed = seal(key, place, 'value')
  expect(() => unseal(sealingKey('another key of an operator, longer'), place, sealed)).toThrow()
  for (const other of [
    ['prj_2', 'TOKEN', 'env', ''],
    ['prj_1', 'OTHER', 'env', ''],
    ['prj_1', 'TOKEN', 'git', ''],
  ])
    expect(() => unseal(key, other, sealed)).toThrow()
  const bytes = Buffer.from(sealed, 'base64')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at] = changed[at]! ^ 1
    expect(() => unseal(key, place, changed.toString('base64')), `byte ${at}`).toThrow()
  }
})

it('has a name for the key from which the key cannot be computed', () => {
  expect(key.id).not.toBe(sealingKey('another key of an operator, longer').id)
  expect(key.key.toString('hex')).not.toContain(key.id)
})
