import type { RunNow } from '@farhand/protocol/schemas/api'
import { describe, expect, it } from 'vitest'
import { standing } from './standing.ts'

const idle: RunNow = {
  status: 'active',
  agentStatus: 'idle',
  mode: 'interactive',
  questions: 0,
  lastEventId: 9,
}
const kindOf = (now: Partial<RunNow>, sandbox: string | null = 'auto') =>
  standing({ sandbox, now: { ...idle, ...now } }).kind
const wordsOf = (now: Partial<RunNow>, sandbox: string | null = 'auto') =>
  standing({ sandbox, now: { ...idle, ...now } }).words

describe('the status of a run in the list', () => {
  it('puts a question before everything but the end of a run', () => {
    expect(kindOf({ questions: 1, agentStatus: 'waiting' })).toBe('needs-you')
    expect(wordsOf({ questions: 2, agentStatus: 'waiting' })).toBe('Needs you: 2 questions')
    expect(kindOf({ questions: 1, status: 'paused' })).toBe('needs-you')
    expect(kindOf({ questions: 1, status: 'closed' })).toBe('closed')
    expect(kindOf({ questions: 1, status: 'failed' })).toBe('failed')
  })

  it('says since when the agent works, and that its runner is away if it is', () => {
    const since = '2026-01-01T10:00:00.000Z'
    const at = standing({ sandbox: 'auto', now: { ...idle, agentStatus: 'thinking', turnSince: since } })
    expect(at).toEqual({ kind: 'working', words: 'Working', since })
    expect(wordsOf({ agentStatus: 'thinking', sandboxHealthy: false })).toBe('Waiting for its runner')
  })

  it('tells a run that is done from one whose turn ended badly, was stopped, or never was', () => {
    expect(kindOf({ turns: 3, stopReason: 'end_turn' })).toBe('done')
    expect(kindOf({})).toBe('done')
    expect(kindOf({ turns: 1, stopReason: 'failed' })).toBe('failed')
    expect(kindOf({ turns: 1, stopReason: 'limit', status: 'asleep' })).toBe('failed')
    expect(wordsOf({ turns: 1, stopReason: 'cancelled' })).toBe('Stopped')
    expect(kindOf({ turns: 0 })).toBe('new')
    expect(wordsOf({ turns: 2, stopReason: null })).toBe('Ready')
    expect(kindOf({ turns: 0, status: 'asleep' })).toBe('asleep')
  })

  it('still shows the result of a run that sleeps, and does not call it done while a message waits', () => {
    expect(wordsOf({ turns: 1, stopReason: 'end_turn', status: 'asleep' })).toBe('Done · asleep')
    expect(wordsOf({ turns: 1, stopReason: 'failed', status: 'asleep' })).toBe('Failed · asleep')
    expect(kindOf({ turns: 1, stopReason: 'end_turn', status: 'asleep' })).toBe('done')
    expect(wordsOf({ turns: 1, stopReason: 'end_turn', messagesWaiting: 1 })).toBe('Waiting for the agent')
  })

  it('tells a run that waits for a sandbox from one that waits for a device', () => {
    expect(wordsOf({ status: 'queued' })).toBe('Waiting for a sandbox')
    expect(wordsOf({ status: 'queued' }, 'none')).toBe('Waiting for its device')
    expect(wordsOf({ status: 'queued', lastEventId: 0 })).toBe('Not started')
    expect(kindOf({ status: 'provisioning', agentStatus: 'thinking' })).toBe('starting')
  })

  it('says that a log cannot be read', () => {
    expect(standing({ sandbox: null, now: null }).kind).toBe('unreadable')
  })
})
