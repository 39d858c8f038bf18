import { emptyRunView, type RunView } from '@farhand/protocol/runs/run-view'
import type { RunStatus } from '@farhand/protocol/wire/run-status'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decide,
  eventNeedingSandbox,
  type Facts,
  type Failures,
  isBusy,
  type KnownSandbox,
  oneMore,
  type Terms,
} from './decide.ts'

const minute = 60_000
const terms: Terms = {
  provisionMs: 5 * minute,
  startMs: 2 * minute,
  silentMs: minute,
  idleMs: 10 * minute,
  restMs: 2 * minute,
  askAgainMs: minute,
  mostFailures: 3,
  failuresWithinMs: 10 * minute,
  retryMs: 1000,
}
const noon = Date.UTC(2026, 0, 1, 12)
const at = (ms: number) => new Date(ms).toISOString()
const none: Failures = { count: 0, lastAt: 0, turns: 0, why: '', triedFor: 0 }
const view = (more: Partial<RunView> = {}): RunView => ({
  ...emptyRunView,
  status: 'active',
  generation: 1,
  lastActivityAt: at(noon),
  ...more,
})
const box = (more: Partial<KnownSandbox> = {}): KnownSandbox => ({
  generation: 1,
  state: 'working',
  since: noon,
  ended: null,
  heardAt: noon,
  isHeard: true,
  ...more,
})
const next = (more: Partial<Facts>) =>
  decide(
    {
      now: noon,
      view: view(),
      sandbox: null,
      failures: none,
      hasOtherRunner: false,
      isOurs: true,
      impossible: null,
      hasRoom: true,
      ...more,
    },
    terms,
  )
const turn = { messageId: 2, acks: 1, generation: 1 }
const question = { questionId: 'qst_1', eventId: 3 } as RunView['openQuestions'][number]
const shell = { what: 'shell' as const, name: 's', eventId: 7 }

describe('a run without a sandbox', () => {
  it('gets one when it is new, and when a message, a question or a turn is open', () => {
    for (const wanted of [
      { status: 'queued' as const },
      { status: 'asleep' as const, unacked: [[9]] },
      { status: 'asleep' as const, openAsks: [shell] },
      { status: 'active' as const, openTurns: [turn] },
      { status: 'paused' as const, openAsks: [shell] },
    ])
      expect(next({ view: view(wanted) }), JSON.stringify(wanted)).toEqual({ do: 'provision' })
  })

  it('W46 gets none while it works on a device, and the one it had is removed without counting a failure', () => {
    const here = view({ place: 'none', status: 'queued', unacked: [[9]] })
    expect(next({ view: here })).toEqual({ do: 'wait', until: null })
    expect(next({ view: here, sandbox: box({ ended: 'it was killed' }) })).toMatchObject({
      do: 'remove',
      isFailure: false,
    })
  })

  it('costs nothing when nothing is open: no step, no time at which to look again', () => {
    for (const status of ['asleep', 'closed', 'failed', 'paused'] as const) {
      const pausedFrom = status === 'paused' ? ('asleep' as const) : null
      expect(next({ view: view({ status, pausedFrom }) })).toEqual({ do: 'wait', until: null })
    }
  })

  it('that is paused waits with its messages until a user resumes it', () => {
    const paused = { status: 'paused', pausedFrom: 'asleep', unacked: [[9]], openTurns: [turn] } as const
    expect(next({ view: view({ ...paused, unacked: [[9]], openTurns: [turn] }) })).toEqual({
      do: 'wait',
      until: null,
    })
    expect(next({ view: view({ status: 'asleep', unacked: [[9]] }) })).toEqual({ do: 'provision' })
  })

  it('is queued if there is no room, and the log says so once', () => {
    const asleep = view({ status: 'asleep', unacked: [[9]] })
    expect(next({ view: asleep, hasRoom: false })).toEqual({ do: 'queue' })
    expect(next({ view: { ...asleep, status: 'queued' }, hasRoom: false }).do).toBe('wait')
    // It would be resumed by that.
    expect(next({ view: view({ status: 'paused', openAsks: [shell] }), hasRoom: false }).do).toBe('wait')
  })

  it('is left alone while another program’s runner is connected, and its status too if that runner set it', () => {
    expect(next({ view: view({ unacked: [[9]] }), hasOtherRunner: true }).do).toBe('wait')
    expect(next({ view: view(), isOurs: false }).do).toBe('wait')
  })

  it('that is being closed gets none', () => {
    expect(next({ view: view({ closing: true, unacked: [[9]], openTurns: [turn] }) }).do).toBe('wait')
  })
})

describe('inactivity', () => {
  const later = noon + 600 * minute
  const awake = box({ heardAt: later })

  it('W37 makes the hub ask the runner to rest after its time, and never while work is open', () => {
    expect(next({ sandbox: awake, now: noon + 10 * minute - 1 })).toEqual({
      do: 'wait',
      until: noon + 10 * minute,
    })
    expect(next({ sandbox: awake, now: noon + 10 * minute })).toEqual({ do: 'ask-rest' })
    for (const busy of [
      { openTurns: [turn] },
      { openQuestions: [question] },
      { unacked: [[4]] },
      { openAsks: [shell] },
    ])
      expect(next({ sandbox: awake, now: later, view: view(busy) }).do, JSON.stringify(busy)).toBe('wait')
  })

  it('W37 counts from when the sandbox was there, so that one that was just woken is not put to sleep', () => {
    expect(next({ sandbox: box({ since: later, heardAt: later }), now: later })).toEqual({
      do: 'wait',
      until: Math.min(later + 10 * minute, later + minute),
    })
  })

  const asked = { request: 5, askedAt: at(noon + 20 * minute), rests: null, answeredAt: null }

  it('W37 ends with the sandbox when its runner rests, is asked again after a refusal, and does not wait for ever', () => {
    const now = noon + 20 * minute
    expect(next({ sandbox: awake, now, view: view({ rest: asked }) })).toEqual({
      do: 'wait',
      until: now + 2 * minute,
    })
    expect(next({ sandbox: awake, now: now + 2 * minute, view: view({ rest: asked }) }).do).toBe('remove')
    const rests = { ...asked, rests: true, answeredAt: at(now) }
    expect(next({ sandbox: awake, now, view: view({ rest: rests }) }).do).toBe('remove')
    const refuses = { ...asked, rests: false, answeredAt: at(now) }
    expect(next({ sandbox: awake, now, view: view({ rest: refuses }) })).toEqual({
      do: 'wait',
      until: now + minute,
    })
    expect(next({ sandbox: awake, now: now + minute, view: view({ rest: refuses }) })).toEqual({
      do: 'ask-rest',
    })
  })

  it('W37 a request to rest that new activity has overtaken ends nothing', () => {
    const active = view({ rest: asked, lastActivityAt: at(noon + 21 * minute) })
    expect(next({ sandbox: awake, now: noon + 30 * minute, view: active })).toEqual({
      do: 'wait',
      until: noon + 31 * minute,
    })
  })

  it('W37 a message that waits for a runner that was to rest and says nothing is given to another one', () => {
    const rest = { request: 5, askedAt: at(noon), rests: null, answeredAt: null }
    const waits = view({ rest, unacked: [[6]], lastActivityAt: at(noon + 1000) })
    const now = noon + terms.restMs
    const sandbox = box({ heardAt: now })
    expect(next({ view: waits, sandbox, now: now - 1 })).toEqual({ do: 'wait', until: now })
    expect(next({ view: waits, sandbox, now })).toMatchObject({ do: 'remove', isFailure: true })
    // A runner that works on it is not stuck.
    const works = { ...waits, unacked: [], openTurns: [turn] }
    expect(next({ view: works, sandbox, now }).do).toBe('wait')
  })

  it('W37 a message that comes when the runner already rests is for the next one', () => {
    const rests = { ...asked, rests: true, answeredAt: at(noon) }
    const late = view({ rest: rests, unacked: [[9]] })
    expect(next({ sandbox: awake, view: late })).toMatchObject({ do: 'remove', isFailure: false })
    expect(next({ sandbox: box({ ended: 'exit 0' }), view: late })).toMatchObject({ isFailure: false })
    expect(next({ view: late })).toEqual({ do: 'provision' })
  })
})

describe('a sandbox that fails', () => {
  const wanted = view({ openTurns: [turn] })

  it('has a limit for being provisioned, for its runner to connect, and for its runner to be silent', () => {
    const starting = box({ state: 'starting', isHeard: false })
    expect(next({ sandbox: starting })).toEqual({ do: 'wait', until: noon + 5 * minute })
    expect(next({ sandbox: starting, now: noon + 5 * minute })).toMatchObject({
      do: 'remove',
      isFailure: true,
    })
    const started = box({ state: 'started', isHeard: false })
    expect(next({ sandbox: started })).toEqual({ do: 'wait', until: noon + 2 * minute })
    expect(next({ sandbox: started, now: noon + 2 * minute })).toMatchObject({
      do: 'remove',
      isFailure: true,
    })
    expect(next({ sandbox: box({ state: 'started' }) })).toEqual({ do: 'welcome' })
    expect(next({ sandbox: box(), view: wanted })).toEqual({ do: 'wait', until: noon + minute })
    expect(next({ sandbox: box(), view: wanted, now: noon + minute })).toMatchObject({ isFailure: true })
  })

  it('is replaced when its run has something to do, and otherwise only removed', () => {
    const dead = box({ ended: 'killed' })
    expect(next({ sandbox: dead, view: wanted })).toEqual({ do: 'remove', why: 'killed', isFailure: true })
    expect(next({ sandbox: dead })).toEqual({ do: 'remove', why: 'killed', isFailure: false })
    expect(next({})).toEqual({ do: 'sleep' })
  })

  it('again and again makes the run fail, and each new message makes the hub try once more', () => {
    let failures: Failures = { ...none, triedFor: 2 }
    for (let n = 0; n < 3; n++) failures = oneMore(failures, 'killed', 0, noon + n, terms)
    const now = noon + 3
    expect(next({ view: wanted, failures, now })).toEqual({ do: 'fail', why: 'killed' })
    const given = { ...wanted, status: 'failed' as const }
    expect(next({ view: given, failures, now })).toEqual({ do: 'wait', until: null })
    expect(next({ view: { ...given, unacked: [[8]] }, failures, now })).toEqual({ do: 'provision' })
    const tried = oneMore({ ...failures, triedFor: 8 }, 'killed', 0, now, terms)
    expect(
      next({ view: { ...given, status: 'provisioning', unacked: [[8]] }, failures: tried, now }),
    ).toEqual({
      do: 'fail',
      why: 'killed',
    })
    expect(next({ view: { ...wanted, status: 'queued' }, failures, now })).toEqual({ do: 'provision' })
  })

  it('is counted from zero again after a finished turn, and after a while', () => {
    const twice = oneMore(oneMore(none, 'a', 0, noon, terms), 'a', 0, noon + 1, terms)
    expect(twice.count).toBe(2)
    expect(oneMore(twice, 'a', 1, noon + 2, terms).count).toBe(1)
    expect(oneMore(twice, 'a', 0, noon + 11 * minute, terms).count).toBe(1)
  })

  it('makes the run fail also if each try takes all the time that it may', () => {
    let failures: Failures = { ...none, triedFor: 2 }
    let now = noon
    for (let n = 0; n < 3; n++) {
      now += terms.provisionMs + n * terms.retryMs
      failures = oneMore(failures, 'no sandbox', 0, now, terms)
    }
    expect(next({ view: wanted, failures, now })).toEqual({ do: 'fail', why: 'no sandbox' })
  })

  it('is replaced only after a pause at the third try', () => {
    const failures = { ...none, count: 2, lastAt: noon, triedFor: 2 }
    expect(next({ view: wanted, failures })).toEqual({ do: 'wait', until: noon + 1000 })
    expect(next({ view: wanted, failures, now: noon + 1000 })).toEqual({ do: 'provision' })
  })

  it('because the hub cannot place it fails at once, and again only after a new message', () => {
    const queued = view({ status: 'queued' })
    const impossible = 'no such agent'
    expect(next({ view: queued, impossible })).toEqual({ do: 'fail', why: 'no such agent' })
    expect(next({ view: view({ status: 'failed' }), impossible }).do).toBe('wait')
  })
})

const anyView: fc.Arbitrary<RunView> = fc
  .record({
    status: fc.constantFrom<RunStatus>(
      'queued',
      'provisioning',
      'active',
      'asleep',
      'paused',
      'closed',
      'failed',
    ),
    pausedFrom: fc.constantFrom<RunStatus>('queued', 'provisioning', 'active', 'asleep'),
    closing: fc.boolean(),
    generation: fc.integer({ min: 1, max: 2 }),
    unacked: fc.constantFrom<RunView['unacked']>([], [[4]]),
    openTurns: fc.constantFrom<RunView['openTurns']>([], [turn]),
    openQuestions: fc.constantFrom<RunView['openQuestions']>([], [question]),
    openAsks: fc.constantFrom<RunView['openAsks']>([], [shell]),
    turns: fc.integer({ min: 0, max: 2 }),
    lastActivityAt: fc.constantFrom(null, at(noon), at(noon - 60 * minute)),
    rest: fc.constantFrom<RunView['rest']>(
      null,
      { request: 5, askedAt: at(noon), rests: null, answeredAt: null },
      { request: 5, askedAt: at(noon), rests: false, answeredAt: at(noon) },
      { request: 5, askedAt: at(noon), rests: true, answeredAt: at(noon) },
    ),
  })
  .map((some) => ({
    ...emptyRunView,
    ...some,
    pausedFrom: some.status === 'paused' ? some.pausedFrom : null,
    closing: some.closing && some.status !== 'closed',
  }))
const anyFacts: fc.Arbitrary<Facts> = fc.record({
  now: fc.integer({ min: noon, max: noon + 60 * minute }),
  view: anyView,
  sandbox: fc.option(
    fc.record({
      generation: fc.constant(1),
      state: fc.constantFrom('starting', 'started', 'working'),
      since: fc.constant(noon),
      ended: fc.constantFrom(null, 'killed'),
      heardAt: fc.integer({ min: noon, max: noon + 60 * minute }),
      isHeard: fc.boolean(),
    }),
  ),
  failures: fc.record({
    count: fc.integer({ min: 0, max: 4 }),
    lastAt: fc.integer({ min: noon, max: noon + minute }),
    turns: fc.constant(0),
    why: fc.constant('killed'),
    triedFor: fc.integer({ min: 0, max: 9 }),
  }),
  hasOtherRunner: fc.boolean(),
  isOurs: fc.boolean(),
  impossible: fc.constantFrom(null, 'no'),
  hasRoom: fc.boolean(),
})

describe('for all facts', () => {
  it('W37 a run with open work is not put to sleep: its sandbox is only removed as a failure, and the work goes on', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const { view, sandbox } = facts
        fc.pre(isBusy(view) && view.status !== 'closed' && view.rest?.rests !== true)
        const step = decide(facts, terms)
        expect(step.do).not.toBe('ask-rest')
        if (step.do === 'sleep') expect(eventNeedingSandbox(view)).toBeNull()
        const isTaken = sandbox && view.generation > sandbox.generation
        if (step.do === 'remove' && !isTaken && eventNeedingSandbox(view) !== null)
          expect(step.isFailure).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  it('each sandbox has a time at which the hub looks at it again, so that none is forgotten', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const step = decide(facts, terms)
        if (!facts.sandbox || step.do !== 'wait') return
        expect(step.until).toBeGreaterThan(facts.now)
      }),
      { numRuns: 1000 },
    )
  })

  it('a closed run only has its sandbox removed, and a closing one gets no new sandbox', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        fc.pre(facts.view.status === 'closed' || facts.view.closing)
        const step = decide(facts, terms)
        if (facts.view.status === 'closed') expect(step.do).toBe(facts.sandbox ? 'remove' : 'wait')
        else expect(['wait', 'remove', 'welcome']).toContain(step.do)
      }),
      { numRuns: 1000 },
    )
  })

  it('an open run with something to do gets a sandbox, an error, or a place in the queue', () => {
    fc.assert(
      fc.property(anyFacts, (some) => {
        const facts: Facts = { ...some, sandbox: null, hasOtherRunner: false }
        const { view, failures, now } = facts
        fc.pre(eventNeedingSandbox(view) !== null && view.status !== 'failed')
        const step = decide(facts, terms)
        const isLater = step.do === 'wait' && (step.until ?? 0) > now
        const isInLine = step.do === 'wait' && step.isInLine === true && !facts.hasRoom
        expect(['provision', 'fail', 'queue'].includes(step.do) || isLater || isInLine).toBe(true)
        if (step.do === 'fail') expect(facts.impossible !== null || failures.count >= 3).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })
})
