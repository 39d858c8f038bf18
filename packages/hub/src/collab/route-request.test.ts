import { DeviceId } from '@farhand/protocol/wire/ids'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Candidate, type Routing, routeRequest } from './route-request.ts'

const ids = ['dev_aaaaaaaa', 'dev_bbbbbbbb', 'dev_cccccccc'].map((id) => DeviceId.parse(id))
const [a, b] = ids as [DeviceId, DeviceId]
const candidate = (id: DeviceId, more: Partial<Candidate> = {}): Candidate => ({
  ...{ id, isOnline: true, lastUsedAt: '', onlineSince: '2026-01-01T00:00:00.000Z' },
  ...more,
})
const routing = (more: Partial<Routing> = {}): Routing => ({
  ...{ candidates: [], named: null, needsDevice: false, origins: [], conversation: null, whyNoCloud: null },
  ...more,
})

it('W103 a connected device answers, else a sandbox, and what needs a device waits for one', () => {
  expect(routeRequest(routing({ candidates: [candidate(a)] }))).toMatchObject({ to: 'device', device: a })
  expect(routeRequest(routing())).toMatchObject({ to: 'cloud' })
  expect(routeRequest(routing({ needsDevice: true }))).toMatchObject({ to: 'queue', device: null })
  expect(routeRequest(routing({ whyNoCloud: 'this hub has no sandboxes' }))).toMatchObject({ to: 'queue' })
})

it('W103 of several devices the named one answers, else the one that was used last', () => {
  const candidates = [candidate(a, { lastUsedAt: '2026-02-01' }), candidate(b, { lastUsedAt: '2026-03-01' })]
  expect(routeRequest(routing({ candidates }))).toMatchObject({ device: b })
  expect(routeRequest(routing({ candidates, named: a }))).toMatchObject({ to: 'device', device: a })
  expect(routeRequest(routing({ candidates: [candidate(b)], named: a, needsDevice: true }))).toMatchObject({
    to: 'queue',
    device: a,
  })
})

it('W103 a conversation goes on where it is', () => {
  const candidates = [candidate(a), candidate(b)]
  const onDevice = { on: 'device', device: a } as const
  expect(routeRequest(routing({ candidates, conversation: onDevice }))).toMatchObject({ device: a })
  expect(routeRequest(routing({ candidates: [candidate(b)], conversation: onDevice }))).toMatchObject({
    to: 'queue',
    device: a,
  })
  expect(routeRequest(routing({ candidates, conversation: { on: 'cloud' } }))).toMatchObject({ to: 'cloud' })
})

const device = fc.constantFrom(...ids)
const any: fc.Arbitrary<Routing> = fc.record({
  candidates: fc.uniqueArray(
    fc.record({
      id: device,
      isOnline: fc.boolean(),
      lastUsedAt: fc.constantFrom('', '2026-01-01', '2026-02-02'),
      onlineSince: fc.constantFrom('', '2026-03-03'),
    }),
    { selector: ({ id }) => id },
  ),
  named: fc.option(device),
  needsDevice: fc.boolean(),
  origins: fc.uniqueArray(device, { maxLength: 2 }),
  conversation: fc.oneof(
    fc.constant(null),
    fc.constant({ on: 'cloud' as const }),
    fc.record({ on: fc.constant('device' as const), device: fc.option(device) }),
  ),
  whyNoCloud: fc.option(fc.constant('there is none')),
})

it('W103 for every question: never back to where it came from, never to a device that is off, never to a sandbox if it needs a device', () => {
  fc.assert(
    fc.property(any, (asked) => {
      const route = routeRequest(asked)
      if (route.to === 'device' || route.to === 'queue') expect(asked.origins).not.toContain(route.device)
      if (route.to === 'device')
        expect(asked.candidates.find(({ id }) => id === route.device)?.isOnline).toBe(true)
      if (route.to === 'cloud') {
        expect(asked.needsDevice).toBe(false)
        expect(asked.whyNoCloud).toBeNull()
      }
      // The order in which devices are listed decides nothing.
      expect(routeRequest({ ...asked, candidates: asked.candidates.toReversed() })).toEqual(route)
      // One more device that is connected never makes a request wait or go to a sandbox that a device would have had.
      if (route.to === 'device' && route.device !== null)
        expect(
          routeRequest({ ...asked, candidates: asked.candidates.filter(({ isOnline }) => isOnline) }),
        ).toEqual(route)
    }),
    { numRuns: 2000 },
  )
})
