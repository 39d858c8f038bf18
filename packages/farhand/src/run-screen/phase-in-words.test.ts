import { expect, it } from 'vitest'
import { phaseInWords, underWay } from './phase-in-words.ts'

it.each([
  ['phase_start', { phase: 'provisioning' }, [{ as: 'status', text: 'a sandbox is being made' }]],
  [
    'phase_complete',
    { phase: 'provisioning', ms: 1234, ok: true },
    [{ as: 'faint', text: 'Sandbox ready (1.2 s)' }],
  ],
  [
    'phase_complete',
    { phase: 'setup', ms: 5, ok: false, error: 'npm: not found\nmore' },
    [{ as: 'warning', text: 'The setup command failed: npm: not found' }],
  ],
  ['phase_complete', { phase: 'checkpointing', ms: 5, ok: true }, []],
  ['phase_start', { phase: 'of another hub' }, []],
  ['status', { status: 'active' }, []],
  ['status', { status: 'failed', reason: 'no room' }, [{ as: 'warning', text: 'The run has failed.' }]],
  ['status', { status: 'queued' }, []],
  ['status', { status: 'queued', reason: 'no room' }, [{ as: 'warning', text: 'Waiting: no room.' }]],
  ['status', { status: 'asleep' }, [{ as: 'faint', text: 'The run is asleep; a message wakes it.' }]],
])('%s %j is told as far as it matters to who waits', (method, params, pieces) => {
  expect(phaseInWords(`_posthog/${method}`, params)).toEqual(pieces)
})

it.each([
  ['the setup command is at work', ['session_start', 'phase_start setup']],
  [null, ['phase_start setup', 'phase_complete setup']],
  [null, ['phase_start setup', 'session_start']],
  [null, ['phase_start checkpointing']],
])('says %j is under way after %j', (doing, events) => {
  const notifications = events.map((event) => {
    const [method, phase] = event.split(' ')
    return { jsonrpc: '2.0' as const, method: `_posthog/${method}`, params: { phase } }
  })
  expect(underWay(notifications)).toBe(doing)
})
