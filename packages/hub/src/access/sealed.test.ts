import { expect, it } from 'vitest'
import { seal, sealingKey, unseal } from './sealed.ts'

const key = sealingKey('a key of an operator, long enough')
const place = ['prj_1', 'TOKEN', 'env', '']

it('what is sealed can be opened with the same key, as the same thing', () => {
  const sealed = seal(key, place, 'håndværk\n')
  expect(unseal(sealingKey('a key of an operator, long enough'), place, sealed)).toBe('håndværk\n')
  expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('hånd')
})

it('the same value never looks the same twice', () => {
  expect(seal(key, place, 'value')).not.toBe(seal(key, place, 'value'))
})

it('does not open with another key, as another thing, or changed by one bit', () => {
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

it('has a name for the key by which it cannot be found', () => {
  expect(key.id).not.toBe(sealingKey('another key of an operator, longer').id)
  expect(key.key.toString('hex')).not.toContain(key.id)
})
