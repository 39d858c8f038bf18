import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { missingPackage } from './missing-package.ts'

it('what npm could not install is named, in one line', () => {
  const failure = () => createRequire(import.meta.url)('@gone/linux-x64-gnu')
  let error: unknown
  try {
    failure()
  } catch (thrown) {
    error = thrown
  }
  expect(missingPackage(error)).toMatchObject({
    exit: 'failed',
    message: '@gone/linux-x64-gnu is missing: it was not installed, or is not made for this system.',
    nextStep: expect.stringContaining('Install farhand again'),
  })
})

it('is said of nothing else', () => {
  expect(missingPackage(new Error("Cannot find module 'x'"))).toBeNull()
  expect(missingPackage(undefined)).toBeNull()
})
