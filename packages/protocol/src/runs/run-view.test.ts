import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hub, type Line, laptop, runner, sampleLog, secondRunner, web } from '../events/sample-log.ts'
import type { StoredEvent } from '../wire/event.ts'
import { foldRunView } from './fold-run-view.ts'
import { emptyRunView, RunView } from './run-view.ts'
import { agentStatus, pendingQuestions, SyncStatus, statusAnswer } from './sync-status.ts'

const fold = (events: StoredEvent[]) => events.reduce(foldRunView, emptyRunView)
const after = (...lines: Line[]) => fold(sampleLog(...lines))

const start: Line = [hub, '_posthog/session_start', { generation: 1, sandboxId: 'sbx' }]
const restart: Line = [hub, '_posthog/session_start', { generation: 2, sandboxId: 'sbx2' }]
const status = (status: string): Line => [hub, '_posthog/status', { status, reason: 'because' }]
const message: Line = [web, '_posthog/user_message', { content: 'hi' }]
const ack = (id: number, by = runner): Line => [by, '_posthog/ack', { for: 'user_message', id }]
const done = (messageId: number): Line => [
  runner,
  '_posthog/turn_complete',
  { messageId, stopReason: 'end_turn' },
]
const chunk: Line = [runner, 'agent_message_chunk', { text: 'x' }]
const q1 = 'qst_00000001'
const q2 = 'qst_00000002'
const ask = (questionId: string, more = {}, by = runner): Line => [
  by,
  '_posthog/agent_question',
  { questionId, question: 'Shall I?', ...more },
]
const answer = (questionId: string, answer: unknown): Line => [
  web,
  '_posthog/user_response',
  { questionId, answer },
]
const closed = (questionId: string, how = 'answered'): Line => [
  runner,
  '_posthog/question_closed',
  { questionId, how },
]
const second = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString()

describe('the status of a run', () => {
  it('W23 a new run is queued, and the hub says when that changes', () => {
    expect(emptyRunView.status).toBe('queued')
    expect(after(status('provisioning')).status).toBe('provisioning')
    expect(after(start).status).toBe('active')
    // The hub that provisions says itself when the runner is there.
    expect(after(status('provisioning'), start)).toMatchObject({ status: 'provisioning', generation: 1 })
    expect(after(status('provisioning'), start, status('active')).status).toBe('active')
    expect(after(start, status('asleep')).status).toBe('asleep')
    expect(after(start, status('failed'), restart)).toMatchObject({ status: 'active', generation: 2 })
  })

  it('W22 closing lasts from the request to session_close', () => {
    const close: Line = [web, '_posthog/close']
    const end: Line = [hub, '_posthog/session_close', { reason: 'asked' }]
    expect(after(start, close)).toMatchObject({ status: 'active', closing: true })
    expect(after(start, close, status('active'))).toMatchObject({ closing: true })
    expect(after(start, close, end)).toMatchObject({ status: 'closed', closing: false })
    expect(after(start, end, close)).toMatchObject({ status: 'closed', closing: false })
  })

  it('W12 a run that is queued again is open again, closed or only closing before', () => {
    const close: Line = [web, '_posthog/close']
    const end: Line = [hub, '_posthog/session_close', { reason: 'asked' }]
    for (const lines of [[start, close, end], [start, close], [close]]) {
      expect(after(...lines, status('queued'))).toMatchObject({ status: 'queued', closing: false })
    }
  })

  it('pause lasts until resume, even if the runner starts or sleeps meanwhile', () => {
    const pause: Line = [web, '_posthog/pause']
    const resume: Line = [laptop, '_posthog/resume']
    expect(after(start, pause).status).toBe('paused')
    expect(after(start, pause, pause, resume).status).toBe('active')
    expect(after(start, status('asleep'), pause, resume).status).toBe('asleep')
    expect(after(start, pause, status('asleep')).status).toBe('paused')
    expect(after(start, pause, status('asleep'), resume).status).toBe('asleep')
    expect(after(start, status('asleep'), pause, restart).status).toBe('paused')
    expect(after(start, status('asleep'), pause, restart, resume).status).toBe('active')
    expect(after(start, pause, status('paused'), resume).status).toBe('active')
    expect(after(start, resume).status).toBe('active')
    expect(after([hub, '_posthog/session_close'], pause, resume).status).toBe('closed')
  })

  it('W8 a generation only ever grows', () => {
    expect(after(restart, start).generation).toBe(2)
  })

  it('mode and policy stay until they are set again', () => {
    const mode = (params: Record<string, unknown>): Line => [web, '_posthog/mode_change', params]
    expect(after(mode({ mode: 'background', policy: 'allow-reads' }))).toMatchObject({ mode: 'background' })
    expect(after(mode({ mode: 'background', policy: 'p' }), mode({ mode: 'interactive' })).policy).toBe('p')
    expect(
      after(mode({ mode: 'background', policy: 'p' }), mode({ mode: 'background', policy: null })).policy,
    ).toBeNull()
  })

  it('the last commit is whichever kind came last', () => {
    const commit = (params: Record<string, unknown>): Line => [runner, '_posthog/git_commit', params]
    expect(after(commit({ sha: 'abc123' })).lastCommit).toEqual({ sha: 'abc123', branch: null })
    expect(after(commit({ sha: 'abc123' }), commit({ sha: 'def456', branch: 'x' })).lastCommit?.sha).toBe(
      'def456',
    )
  })
})

describe('messages and turns', () => {
  it('W29 a message is unacked until its ack, and its turn open until turn_complete', () => {
    expect(after(start, message, message)).toMatchObject({ unacked: [[2, 3]], openTurns: [] })
    expect(after(start, message, message, ack(2))).toMatchObject({
      unacked: [[3]],
      openTurns: [{ messageId: 2, acks: 1, generation: 1 }],
    })
    expect(after(start, message, ack(2), done(2))).toMatchObject({ unacked: [], openTurns: [] })
  })

  it('W29 a second ack is the one continuation by a new generation', () => {
    expect(after(start, message, ack(2), restart, ack(2, secondRunner)).openTurns).toEqual([
      { messageId: 2, acks: 2, generation: 2 },
    ])
  })

  it('W29 an ack cannot bring back what is over, withdrawn, or was never a message', () => {
    const withdraw: Line = [web, '_posthog/message_edit', { messageId: 2, content: null }]
    expect(after(start, message, withdraw)).toMatchObject({ unacked: [] })
    expect(after(start, message, withdraw, ack(2)).openTurns).toEqual([])
    expect(after(start, message, ack(2), done(2), ack(2)).openTurns).toEqual([])
    expect(after(start, ack(1)).openTurns).toEqual([])
  })

  it('an edit that changes the words leaves the message in its place', () => {
    expect(
      after(start, message, message, [web, '_posthog/message_edit', { messageId: 2, content: 'x' }]),
    ).toMatchObject({
      unacked: [[2, 3]],
    })
  })

  it('a message to a closed run is still there when it opens again', () => {
    expect(after(start, message, [hub, '_posthog/session_close'], status('queued')).unacked).toEqual([[2]])
  })
})

describe('questions', () => {
  it('W23 a question is pending until it is answered, and open until it is closed', () => {
    const asked = after(
      start,
      message,
      ack(2),
      ask(q1, { options: ['Yes', 'No'], timeout: 60, default: 'No' }),
    )
    expect(pendingQuestions(asked)).toMatchObject([
      {
        questionId: q1,
        eventId: 4,
        askedAt: second(3),
        kind: 'question',
        timeout: 60,
        default: 'No',
        replaces: null,
      },
    ])
    expect(agentStatus(asked)).toBe('waiting')
    const answered = after(start, message, ack(2), ask(q1), answer(q1, 'Yes'))
    expect(answered.openQuestions).toMatchObject([{ given: { answer: 'Yes', eventId: 5 } }])
    expect(pendingQuestions(answered)).toEqual([])
    expect(agentStatus(answered)).toBe('thinking')
    expect(after(start, message, ack(2), ask(q1), answer(q1, 'Yes'), closed(q1)).openQuestions).toEqual([])
  })

  it('W23 a question keeps what it wants filled in or opened, and whether it is about a plan', () => {
    const form = { type: 'object', properties: { colour: { type: 'string' } } }
    const url = 'https://sign-in.example'
    const view = after(start, ask(q1, { form, url, isPlan: true }), ask(q2))
    const full = { form, url, isPlan: true }
    expect(view.openQuestions).toMatchObject([full, { form: null, url: null, isPlan: false }])
    expect(statusAnswer(view, 3, true).pendingQuestion).toMatchObject(full)
    expect(RunView.parse(JSON.parse(JSON.stringify(view)))).toEqual(view)
  })

  it('the first answer counts, even if it is null', () => {
    expect(after(start, ask(q1), answer(q1, null), answer(q1, 'No')).openQuestions[0]?.given).toEqual({
      answer: null,
      eventId: 3,
    })
  })

  it('W30 once a new generation has begun, a question of the old one is open but cannot be answered', () => {
    const orphaned = after(start, message, ack(2), ask(q1), restart)
    expect(orphaned.openQuestions).toMatchObject([{ questionId: q1, generation: 1, given: null }])
    expect(pendingQuestions(orphaned)).toEqual([])
    expect(agentStatus(orphaned)).toBe('thinking')
  })

  it('W30 when a question is asked again, an answer to the first asking settles nothing', () => {
    const again = ask(q2, { replaces: q1 }, secondRunner)
    const view = after(start, message, ack(2), ask(q1), restart, again, answer(q1, 'Yes'))
    expect(view.openQuestions.map((question) => question.given)).toEqual([null, null])
    expect(pendingQuestions(view)).toMatchObject([{ questionId: q2, replaces: q1, generation: 2 }])
    const late = after(start, ask(q1), restart, again, closed(q1, 'superseded'), answer(q1, 'Yes'))
    expect(late.openQuestions).toMatchObject([{ questionId: q2, given: null }])
  })

  it('W23 the status answer has the question that has waited longest, and all of them', () => {
    const view = after(start, message, ack(2), ask(q1), ask(q2, { kind: 'permission', toolCallId: 't1' }))
    const answer = statusAnswer(view, 5, true)
    expect(SyncStatus.strict().parse(answer)).toEqual(answer)
    expect(answer).toMatchObject({
      status: 'active',
      sandboxHealthy: true,
      lastEventId: 5,
      agentStatus: 'waiting',
      pendingQuestion: { questionId: q1 },
      pendingQuestions: [{ questionId: q1 }, { questionId: q2, kind: 'permission', toolCallId: 't1' }],
      lastCommit: null,
      mode: 'interactive',
    })
    expect(answer.pendingQuestion).not.toHaveProperty('given')
  })

  it('W46 works where it was moved last, and on a device without provisioning; a fork begins where it is made', () => {
    const to = (sandbox: string): Line => [hub, '_posthog/moved', { sandbox }]
    const here: Line = [hub, '_posthog/session_start', { generation: 2, sandbox: 'none' }]
    expect(after(start)).toMatchObject({ place: null })
    expect(after(start, status('provisioning'), here)).toMatchObject({ place: 'none', status: 'active' })
    expect(after(start, status('asleep'), here, to('auto'), status('queued'))).toMatchObject({
      place: 'auto',
      status: 'queued',
    })
    expect(after(start, status('failed'), to('none'))).toMatchObject({ place: 'none', status: 'active' })
    const fork: Line = [hub, '_posthog/forked', { run: 'run_storystory', event: 2 }]
    expect(after(start, here, fork)).toMatchObject({ place: null, generation: 2 })
  })

  it('W23 no agent thinks or waits in a run that is closed', () => {
    expect(agentStatus(after(start, message, ack(2), ask(q1), [hub, '_posthog/session_close']))).toBe('idle')
  })
})

describe('other work that needs a sandbox', () => {
  const shell: Line = [web, '_posthog/shell', { id: 'one', command: 'ls' }]
  const file: Line = [web, '_posthog/file_request', { path: 'a.txt' }]

  it('is a command, until its end is told', () => {
    const output = (said: object): Line => [runner, '_posthog/sandbox_output', { id: 'one', ...said }]
    expect(after(start, shell).openAsks).toEqual([{ what: 'shell', name: 'one', eventId: 2 }])
    expect(after(start, shell, output({ stdout: 'x' })).openAsks).toHaveLength(1)
    expect(after(start, shell, output({ exitCode: null })).openAsks).toEqual([])
  })

  it('is a file that a user asked for, until it is shown', () => {
    const shown: Line = [runner, '_posthog/file_content', { path: 'a.txt', missing: true }]
    expect(after(start, file, file).openAsks).toEqual([{ what: 'file', name: 'a.txt', eventId: 3 }])
    expect(after(start, file, shown).openAsks).toEqual([])
  })

  it('is bounded, and the newest stay', () => {
    const many = Array.from({ length: 150 }, (_, n): Line => [web, '_posthog/file_request', { path: `${n}` }])
    const { openAsks } = after(start, ...many)
    expect([openAsks.length, openAsks.at(-1)?.name]).toEqual([100, '149'])
  })

  it('W37 is over when its runner says that it rests; another answer, or one to another request, says nothing', () => {
    const request: Line = [hub, '_posthog/rest_request']
    const says = (of: number, rests: boolean): Line => [runner, '_posthog/rest_answer', { for: of, rests }]
    expect(after(start, request).rest).toMatchObject({ request: 2, rests: null, askedAt: second(1) })
    expect(after(start, request, says(1, true)).rest?.rests).toBeNull()
    expect(after(start, request, says(2, false), says(2, true)).rest).toMatchObject({ rests: false })
    expect(after(start, request, says(2, true)).rest).toMatchObject({ rests: true, answeredAt: second(2) })
    expect(after(start, request, says(2, true), restart).rest).toBeNull()
  })
})

describe('activity', () => {
  it('is what users do, and what the agent does in a turn', () => {
    expect(after(start, message).lastActivityAt).toBe(second(1))
    expect(after(start, message, ack(2), chunk).lastActivityAt).toBe(second(3))
    expect(after(start, message, ack(2), done(2)).lastActivityAt).toBe(second(3))
  })

  it('is not what hub and runner report about themselves, so that a run can fall asleep', () => {
    const quiet: Line[] = [
      status('active'),
      [runner, '_posthog/console', { level: 'info', message: 'up' }],
      [runner, '_posthog/phase_start', { phase: 'setup' }],
      [runner, '_posthog/session_checkpoint', { checkpointId: 'c' }],
      [runner, '_posthog/git_commit', { sha: 'abcd', kind: 'checkpoint' }],
      [hub, '_posthog/user_response', { questionId: q1, answer: 'default' }],
      [laptop, '_posthog/console', { level: 'info', message: 'up' }],
      [web, '_mine/ping'],
      [runner, '_posthog/file_change', { path: 'server.log', action: 'deleted' }],
      chunk,
    ]
    expect(after(start, ...quiet).lastActivityAt).toBeNull()
    expect(after(start, message, ack(2), done(2), ...quiet).lastActivityAt).toBe(second(3))
  })
})

describe('the fold itself', () => {
  it('W27 gives back the same view for what it does not know', () => {
    const view = after(start, message)
    const unknown: Line[] = [
      [web, '_mine/x', { status: 'closed' }],
      [hub, '_posthog/console', { level: 'info', message: 'x' }],
      [web, '__proto__'],
    ]
    for (const event of sampleLog(...unknown)) expect(foldRunView(view, event)).toBe(view)
    const [event] = sampleLog(start)
    const broken = { ...event!, notification: { ...event!.notification, params: { generation: 'x' } } }
    expect(foldRunView(view, broken)).toBe(view)
  })

  it('W23 is the same from a stored view as from the beginning, and never changes a view it was given', () => {
    const line = fc.constantFrom<Line>(
      start,
      restart,
      status('asleep'),
      status('closed'),
      message,
      ack(2),
      ack(3, secondRunner),
      done(2),
      ask(q1),
      ask(q2),
      answer(q1, 'x'),
      closed(q1),
      chunk,
      [web, '_posthog/close'],
      [web, '_posthog/pause'],
      [web, '_posthog/resume'],
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30, size: 'max' }), (lines) => {
        let kept = emptyRunView
        for (const event of sampleLog(...lines)) {
          const before = JSON.stringify(kept)
          const next = foldRunView(kept, event)
          expect(JSON.stringify(kept)).toBe(before)
          kept = RunView.parse(JSON.parse(JSON.stringify(next)))
        }
        expect(kept).toEqual(after(...lines))
        expect(kept.openTurns.some((turn) => kept.unacked.flat().includes(turn.messageId))).toBe(false)
      }),
    )
  })
})

describe('a fork', () => {
  const forked: Line = [hub, '_posthog/forked', { run: 'run_theother', event: 9 }]

  it('W39 is queued and idle, even if the other run had open work', () => {
    const mode: Line = [web, '_posthog/mode_change', { mode: 'background', policy: 'deny' }]
    const commit: Line = [runner, '_posthog/git_commit', { sha: 'abcdef' }]
    const lines = [start, mode, message, ack(3), ask(q1), commit, message, [web, '_posthog/pause'] as Line]
    expect(after(...lines, forked)).toEqual({
      ...emptyRunView,
      mode: 'background',
      policy: 'deny',
      generation: 1,
      lastCommit: { sha: 'abcdef', branch: null },
    })
  })

  it('W39 of a run that is closed is open', () => {
    const close: Line = [hub, '_posthog/session_close', {}]
    expect(after(start, close, forked).status).toBe('queued')
    expect(after(start, [web, '_posthog/close'], forked).closing).toBe(false)
  })

  it('W39 neither an ack nor an answer that was meant for the other run opens anything here', () => {
    const late = after(start, message, message, ack(2), ask(q1), forked, restart, ack(3, secondRunner))
    expect(late.openTurns).toEqual([])
    expect(after(start, message, ack(2), ask(q1), forked, answer(q1, 'yes')).openQuestions).toEqual([])
  })
})
