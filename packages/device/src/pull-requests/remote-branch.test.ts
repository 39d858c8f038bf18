import { expect, it } from 'vitest'
import { type RemoteSettings, whichRemote } from './remote-branch.ts'

const settings = (given: Partial<RemoteSettings>): RemoteSettings => ({
  remotes: ['origin', 'fork', 'other'],
  pushRemote: null,
  pushDefault: null,
  follows: null,
  ...given,
})

it('a branch goes where git would push it, and nowhere if git would not know', () => {
  expect(whichRemote(settings({ pushRemote: 'fork', pushDefault: 'other', follows: 'origin' }))).toBe('fork')
  expect(whichRemote(settings({ pushDefault: 'other', follows: 'origin' }))).toBe('other')
  expect(whichRemote(settings({ follows: 'fork' }))).toBe('fork')
  expect(whichRemote(settings({ follows: '.' }))).toBe('origin')
  expect(whichRemote(settings({ remotes: ['upstream'] }))).toBe('upstream')
  expect(whichRemote(settings({ remotes: ['a', 'b'] }))).toBeNull()
  expect(whichRemote(settings({ remotes: [] }))).toBeNull()
})
