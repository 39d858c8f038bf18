import { expect, it } from 'vitest'
import { remotesOf } from './sandbox-terms.ts'

it('the repository that a run begins from is one that it may speak to with credentials, whatever else is listed', () => {
  const remotes = ['https://git.example/owner/']
  const clone = { url: 'https://git.example/other/app' }
  expect(remotesOf({ remotes, clone })).toEqual([...remotes, clone.url])
  expect(remotesOf({ clone })).toEqual([clone.url])
  expect(remotesOf({ remotes })).toEqual(remotes)
  expect(remotesOf({})).toEqual([])
})
