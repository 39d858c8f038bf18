import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { missingFromLock } from './whole-lock.mjs'

it('the lock names the packages of every system; if not, run `node tools/whole-lock.mjs`', () => {
  const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'))
  expect(Object.keys(missingFromLock(lock.packages))).toEqual([])
})

it('a package for another system that the lock forgot gets an entry only that system will install', () => {
  const optionalDependencies = {
    '@tool/linux-arm64-musl': '1.2.3',
    '@tool/darwin-x64': '1.2.3',
    fsevents: '~2.3.3',
  }
  const packages = {
    'node_modules/tool': { version: '1.2.3', dev: true, optionalDependencies },
    'node_modules/@tool/darwin-x64': { version: '1.2.3' },
  }
  expect(missingFromLock(packages)).toEqual({
    'node_modules/@tool/linux-arm64-musl': {
      version: '1.2.3',
      cpu: ['arm64'],
      dev: true,
      libc: ['musl'],
      optional: true,
      os: ['linux'],
    },
  })
})
