import { describe, expect, it } from 'vitest'
import type { Exit } from '../trouble/trouble.ts'
import { type StartSeen, startStep } from './start-step.ts'

const begin: StartSeen = { answers: false, child: null, port: 'usual', waitedMs: 0 }
const step = (seen: Partial<StartSeen>) => startStep({ ...begin, ...seen })
const ended = (exit: Exit, agoMs = 0) => ({ exit, agoMs })

describe('the start of a hub', () => {
  it('is over when one answers, no matter which process has started it', () => {
    expect(step({ answers: true })).toBe('done')
    expect(step({ answers: true, child: ended('alreadyRunning') })).toBe('done')
  })

  it('begins with a process, which is waited for, but not for ever', () => {
    expect(step({})).toBe('start')
    expect(step({ child: 'runs', waitedMs: 10_000 })).toBe('wait')
    expect(step({ child: 'runs', waitedMs: 31_000 })).toBe('too-long')
  })

  it('takes any port if another program has the usual one, once', () => {
    expect(step({ child: ended('portTaken') })).toBe('start-on-any-port')
    expect(step({ child: ended('portTaken'), port: 'any' })).toBe('give-up')
  })

  it('waits for the hub that another process started first, and starts again if that one was ending', () => {
    expect(step({ child: ended('alreadyRunning', 100) })).toBe('wait')
    expect(step({ child: ended('alreadyRunning', 600) })).toBe('start')
    expect(step({ child: ended('alreadyRunning', 600), waitedMs: 31_000 })).toBe('too-long')
  })

  it('is given up when it fails, which being killed is, too', () => {
    expect(step({ child: ended('failed') })).toBe('give-up')
  })
})
