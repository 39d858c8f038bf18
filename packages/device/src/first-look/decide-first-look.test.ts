import { describe, expect, it } from 'vitest'
import { decideFirstLook } from './decide-first-look.ts'
import type { Suspicious } from './suspicious-files.ts'

const survey = (files = 1, size = 1) => ({
  files: Array.from({ length: files }, (_, n) => ({ path: `f${n}`, size })),
  left: [],
  ignored: 0,
  isTracked: () => false,
})
const file = (path: string, isTracked = false): Suspicious => ({
  path,
  signs: [{ line: 0, kind: 'a key' }],
  isTracked,
})
const here = { secrets: null, isPersonHere: true, withCommits: true }
const away = { secrets: null, isPersonHere: false, withCommits: true }

describe('decideFirstLook', () => {
  it('does not ask about a small folder without secrets', () => {
    expect(decideFirstLook({ survey: survey(), suspicious: [] }, here)).toEqual({
      do: 'go-on',
      leaveOut: [],
      isShown: false,
    })
  })

  it('asks the user about a secret, about very many files and about very large ones', () => {
    expect(decideFirstLook({ survey: survey(), suspicious: [file('.env')] }, here).do).toBe('ask')
    expect(decideFirstLook({ survey: survey(30_000), suspicious: [] }, here).do).toBe('ask')
    expect(decideFirstLook({ survey: survey(1, 2 ** 30), suspicious: [] }, here).do).toBe('ask')
  })

  it('stops a script for a secret that never was in a commit, and not for the key of a test or for size', () => {
    expect(decideFirstLook({ survey: survey(), suspicious: [file('.env')] }, away).do).toBe('refuse')
    expect(decideFirstLook({ survey: survey(), suspicious: [file('test/key.pem', true)] }, away).do).toBe(
      'go-on',
    )
    expect(decideFirstLook({ survey: survey(30_000), suspicious: [] }, away).do).toBe('go-on')
  })

  it('leaves out only what git does not send along anyway', () => {
    const suspicious = [file('.env'), file('test/key.pem', true)]
    const leaves = (withCommits: boolean) =>
      decideFirstLook(
        { survey: survey(), suspicious },
        { isPersonHere: true, secrets: 'leave-out', withCommits },
      )
    expect(leaves(true)).toMatchObject({ leaveOut: ['.env'] })
    expect(leaves(false)).toMatchObject({ leaveOut: ['.env', 'test/key.pem'] })
  })
})
