import { describe, expect, it } from 'vitest'
import { type AvailableHost, chooseHost } from './choose-host.ts'

const bubblewrap: AvailableHost = { kind: 'bubblewrap', isolates: true, unusable: null }
const processes: AvailableHost = { kind: 'process', isolates: false, unusable: null }
const missing: AvailableHost = { ...bubblewrap, unusable: 'bubblewrap is not installed. Install it.' }

describe('the host of a run', () => {
  it('is the best one, if it works and nothing else is asked for', () => {
    expect(chooseHost(null, [bubblewrap, processes])).toEqual({ kind: 'bubblewrap', warning: null })
    expect(chooseHost('bubblewrap', [bubblewrap, processes])).toEqual({ kind: 'bubblewrap', warning: null })
  })

  it('is plain processes where nothing else works, with a warning that says why', () => {
    const choice = chooseHost(null, [missing, processes])
    expect(choice).toMatchObject({
      kind: 'process',
      warning: expect.stringMatching(/does not isolate.*Install it/),
    })
  })

  it('is plain processes if the user asks for them, still with a warning', () => {
    const choice = chooseHost('process', [bubblewrap, processes])
    expect(choice).toMatchObject({ kind: 'process', warning: expect.stringContaining('does not isolate') })
  })

  it('is never another one than was asked for', () => {
    expect(chooseHost('bubblewrap', [missing, processes])).toEqual({
      refused:
        "A bubblewrap sandbox cannot be had on the hub's machine: bubblewrap is not installed. Install it. " +
        'What works here: process.',
    })
    expect(chooseHost('cloud', [bubblewrap, processes])).toEqual({
      refused: 'There is no kind of sandbox called cloud; there is bubblewrap and process.',
    })
  })

  it('is none, and all reasons are told, where none works', () => {
    const windows = { ...processes, unusable: 'Use WSL.' }
    const { refused } = chooseHost(null, [missing, windows]) as { refused: string }
    expect(refused).toContain('Install it.')
    expect(refused).toContain('Use WSL.')
  })
})
