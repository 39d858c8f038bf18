import fc from 'fast-check'
import { expect, it } from 'vitest'
import { plainEvent } from './plain-event.ts'
import { SeenEvent } from './seen-event.ts'

/** Mostly right, so that one wrong part is what decides. */
const or = <T>(right: fc.Arbitrary<T>, wrong: readonly unknown[] = []) =>
  fc.oneof(
    { weight: 60, arbitrary: right as fc.Arbitrary<unknown> },
    fc.constantFrom<unknown>(undefined, null, '', 0, -1, 1.5, 2 ** 53, {}, [], 'x'.repeat(201), ...wrong),
  )

const events = fc.record(
  {
    id: or(fc.integer({ min: 1 })),
    type: or(fc.constant('notification'), ['event']),
    timestamp: or(fc.constant('2026-02-28T23:59:59.999Z'), [
      '2026-02-30T00:00:00.000Z',
      '2024-02-29T00:00:00Z',
      '2026-13-01T00:00:00.000Z',
      '2026-01-01T00:00:00.000+01:00',
      '2026-01-01 00:00:00.000Z',
    ]),
    notification: or(
      fc.record(
        {
          jsonrpc: or(fc.constant('2.0')),
          method: or(fc.constantFrom('_posthog/file_sync', 'x'.repeat(200))),
          params: or(fc.constantFrom<unknown>({}, { files: [{ path: 'a' }] })),
        },
        { requiredKeys: ['jsonrpc', 'method'] },
      ),
      [{ jsonrpc: '2.0', method: 'm', more: 1 }],
    ),
    by: or(
      fc.constantFrom<unknown>(
        { kind: 'device', id: 'd' },
        { kind: 'runner', generation: 2 },
        { kind: 'hub' },
        { kind: 'web', id: 'w' },
      ),
      [
        { kind: 'device', id: 'd', more: 1 },
        { kind: 'device', generation: 1 },
        { kind: 'runner', generation: 0 },
        { kind: 'runner', id: 'r' },
        { kind: 'satellite', id: 's' },
        { kind: 'device', id: 7 },
      ],
    ),
    producer: or(fc.constant({ id: 'p', epoch: 0, seq: 0 }), [
      { id: 'p', epoch: 0 },
      { id: '', epoch: 0, seq: 0 },
      { id: 'p', epoch: 0, seq: -1 },
      { id: 'p', epoch: 0, seq: 0, more: 1 },
      { id: 'p'.repeat(101), epoch: 0, seq: 0 },
    ]),
    key: or(fc.constant({ key: 'k', body: '' }), [
      { key: '', body: '' },
      { key: 'k' },
      { key: 'k', body: 'b', more: 1 },
      { key: 'k'.repeat(201), body: '' },
    ]),
    life: or(fc.nat()),
  },
  { requiredKeys: ['id', 'type', 'timestamp', 'notification', 'by'] },
)

const sometimesMore = fc
  .tuple(events, fc.nat(9))
  .map(([event, nth]) => (nth === 0 ? { ...event, more: 'from a newer hub' } : event))

it('gives an event only if the schema gives the same, and leaves to the schema what it does not know', () => {
  let plain = 0
  const check = (value: unknown) => {
    const event = plainEvent(value)
    if (event === null) return
    plain += 1
    expect(SeenEvent.safeParse(value).data).toEqual(event)
  }
  fc.assert(fc.property(sometimesMore, check), { numRuns: 5_000 })
  fc.assert(fc.property(fc.anything(), check), { numRuns: 500 })
  expect(plain).toBeGreaterThan(100)
})

it('takes what a hub stores for a device and for a runner without asking the schema', () => {
  const event = {
    id: 7,
    type: 'notification',
    timestamp: new Date().toISOString(),
    notification: { jsonrpc: '2.0', method: '_posthog/file_sync', params: { files: [] } },
    by: { kind: 'device', id: 'dev_1' },
    key: { key: 'k', body: 'b' },
    life: 3,
  }
  expect(plainEvent(event)).toBe(event)
  const { key, life, ...rest } = event
  const fromRunner = {
    ...rest,
    by: { kind: 'runner', generation: 1 },
    producer: { id: 'runner', epoch: 1, seq: 9 },
  }
  expect(plainEvent(fromRunner)).toBe(fromRunner)
})
