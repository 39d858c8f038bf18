import { describe, expect, it } from 'vitest'
import { explain } from './npm/npm-trouble.mjs'
import { isOlder, isWholeInstall } from './prepare.mjs'

describe('preparing a clone', () => {
  it('compares versions by number, not by letter', () => {
    expect(isOlder('18.20.1', '20.19')).toBe(true)
    expect(isOlder('20.9.0', '20.19')).toBe(true)
    expect(isOlder('20.19.0', '20.19')).toBe(false)
    expect(isOlder('22.1.0', '20.19')).toBe(false)
  })

  const manifest = { dependencies: { zod: '4.0.0' } }
  const locked = {
    '': manifest,
    'node_modules/zod': { version: '4.0.0' },
    'node_modules/for-mac': { version: '1.0.0', optional: true },
  }

  it('leaves an install alone that has all the lock asks for, packages of other systems aside', () => {
    expect(isWholeInstall(locked, { 'node_modules/zod': { version: '4.0.0' } }, () => manifest)).toBe(true)
  })

  it.each([
    ['a package is missing', {}, manifest],
    ['a version differs', { 'node_modules/zod': { version: '3.0.0' } }, manifest],
    [
      'a manifest asks for more',
      { 'node_modules/zod': { version: '4.0.0' } },
      { dependencies: { zod: '4.0.0', hono: '4' } },
    ],
  ])('installs when %s', (_, installed, wanted) => {
    expect(isWholeInstall(locked, installed, () => wanted)).toBe(false)
  })

  it('installs when a package is missing that one of ours can do without, but names', () => {
    const wanted = { ...manifest, optionalDependencies: { keychain: '1.0.0' } }
    const keychain = { 'node_modules/keychain': { version: '1.0.0', optional: true } }
    const zod = { 'node_modules/zod': { version: '4.0.0' } }
    const asked = { ...locked, '': wanted, ...keychain }
    expect(isWholeInstall(asked, zod, () => wanted)).toBe(false)
    expect(isWholeInstall(asked, { ...zod, ...keychain }, () => wanted)).toBe(true)
  })

  it('says what to do about what npm said', () => {
    expect(explain('npm error code ENOTFOUND')).toContain('registry')
    expect(explain('npm error code EUSAGE')).toContain('npm install')
    expect(explain('npm error code ENOSPC')).toContain('full')
    expect(explain('npm error something new')).toContain('node_modules')
  })
})
