import { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { expect, it } from 'vitest'
import { startTimes, timesInWords } from './start-times.ts'

const event = (ms: number, method: string, params: Record<string, unknown> = {}) =>
  SeenEvent.parse({
    id: 1,
    type: 'notification',
    timestamp: new Date(Date.parse('2030-01-01T00:00:00Z') + ms).toISOString(),
    by: { kind: 'hub' },
    notification: { jsonrpc: '2.0', method, params },
  })

it('the steps of a start are in their order, with any clocks of hub and device', () => {
  const times = startTimes({ created: 100, inStep: 900, prompted: 950 }, '2030-01-01T00:00:00.000Z', [
    event(200, '_posthog/phase_complete', { phase: 'provisioning', ms: 200, ok: false }),
    event(400, '_posthog/phase_complete', { phase: 'provisioning', ms: 200, ok: true }),
    event(900, '_posthog/ack'),
    event(1_000, '_posthog/agent_start'),
    event(1_200, 'agent_message_chunk', { text: 'Hello' }),
    event(1_300, '_posthog/phase_complete', { phase: 'setup' }),
  ])
  expect(times).toEqual([
    { step: 'created', ms: 100 },
    { step: 'provisioned', ms: 500 },
    { step: 'inStep', ms: 900 },
    { step: 'prompted', ms: 950 },
    { step: 'heard', ms: 1_000 },
    { step: 'agentStarted', ms: 1_100 },
    { step: 'firstWord', ms: 1_300 },
  ])
  expect(timesInWords(times.slice(0, 1))).toEqual(['    0.10 s  the run is made'])
})
