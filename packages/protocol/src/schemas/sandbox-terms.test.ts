import { expect, it } from 'vitest'
import { remotesOf } from './sandbox-terms.ts'

it('a run may use credentials with the repository that it begins from, in addition to those listed', () => {
  const remotes = ['https://git.example/owner/']
  const clone = { url: 'https://git.example/other/app' }
  expect(remotesOf({ remotes, clone })).toEqual([...remotes, clone.url])
  expect(remotesOf({ clone })).toEqual([clone.url])
  expect(remotesOf({ remotes })).toEqual(remotes)
  expect(remotesOf({})).toEqual([])
})
