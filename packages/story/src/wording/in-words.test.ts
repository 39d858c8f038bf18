import { describe, expect, it } from 'vitest'
import type { MarkItem, RewindTo } from '../items/story.ts'
import { answerInWords } from './answer-in-words.ts'
import { durationInWords } from './duration-in-words.ts'
import { markInWords } from './mark-in-words.ts'
import { turnEndInWords } from './turn-end-in-words.ts'
import { contextInWords, costInWords, usageInWords } from './usage-in-words.ts'

describe('a duration in words', () => {
  it.each([
    [-5, '<0.1 s'],
    [49, '<0.1 s'],
    [50, '0.1 s'],
    [420, '0.4 s'],
    [9_940, '9.9 s'],
    [9_960, '10 s'],
    [59_600, '1 min'],
    [185_000, '3 min 5 s'],
    [3_600_000, '1 h'],
    [7_800_000, '2 h 10 min'],
  ])('%d ms', (ms, words) => expect(durationInWords(ms)).toBe(words))
})

describe('the used tokens and cost', () => {
  const none = { inputTokens: null, outputTokens: null, context: null, costUsd: null }

  it('are not shown if the agent reports none', () => {
    expect(usageInWords(none)).toEqual([])
    expect(contextInWords(none)).toBeNull()
  })

  it('are shown as short as possible', () => {
    expect(usageInWords({ ...none, inputTokens: 18_200, outputTokens: 1_450, costUsd: 0.034 })).toEqual([
      '20k tokens',
      '$0.03',
    ])
    expect(usageInWords({ ...none, inputTokens: 999_600 })).toEqual(['1.0M tokens'])
    expect(usageInWords({ ...none, outputTokens: 1_240 })).toEqual(['1.2k tokens'])
    expect(costInWords(0.004)).toBe('under $0.01')
    expect(contextInWords({ ...none, context: { used: 300, size: 200 } })).toContain('100 %')
  })
})

describe('marks', () => {
  it('a sandbox that is being made says so until it is there', () => {
    const phase = { is: 'phase', phase: 'provisioning', ms: null, error: null } as const
    expect(markInWords({ ...phase, state: 'running' })).toMatchObject({ isUnderWay: true })
    expect(markInWords({ ...phase, state: 'done', ms: 812 }).words).toBe('Sandbox ready after 0.8 s')
    expect(markInWords({ ...phase, state: 'failed', error: 'no room' })).toMatchObject({
      tone: 'bad',
      more: 'no room',
    })
  })

  it('files that could not be brought back are named', () => {
    const back = markInWords({ is: 'restored', files: 1, missing: ['a', 'b'], ms: 1200 })
    expect(back).toMatchObject({
      words: 'Workspace restored: 1 file, in 1.2 s',
      tone: 'warn',
      more: 'missing: a, b',
    })
  })

  it('a rewind says in words where it went, however long they are', () => {
    const to = (where: RewindTo) => markInWords({ is: 'rewind', to: 12, where, before: 11, taken: [] }).words
    expect(to({ is: 'before', said: ' write greet.js\nwith care' })).toBe(
      'Rewound to before “write greet.js”',
    )
    expect(to({ is: 'turn', said: 'a'.repeat(61) })).toBe(`Rewound into the turn of “${'a'.repeat(59)}…”`)
    expect(to({ is: 'forward', said: '' })).toBe('Moved forward to after a message')
    expect(to({ is: 'checkpoint', number: 2 })).toBe('Rewound to checkpoint 2')
  })

  it('a turn that ended for an unknown reason is shown with that reason', () => {
    expect(turnEndInWords({ stopReason: 'constructor' }).words).toBe('Ended: constructor')
  })
})

describe('an answer', () => {
  const options = [
    { optionId: 'y', name: 'Allow once', kind: 'allow_once' },
    { optionId: 'n', name: 'Reject', kind: 'reject_once' },
  ]

  it('is the name of the option, however it was said', () => {
    const said = (answer: unknown) => answerInWords({ options, kind: 'permission' }, answer)
    expect(['y', { which: 'n' }, 'yes', 'No'].map(said)).toEqual([
      'Allow once',
      'Reject',
      'Allow once',
      'Reject',
    ])
    expect(answerInWords({ options, kind: 'question' }, 'yes')).toBe('yes')
    const twice = [...options, { optionId: 'a', name: 'Allow it', kind: 'allow_once' }]
    expect(answerInWords({ options: twice, kind: 'permission' }, 'yes')).toBe('yes')
    expect(answerInWords({ options: ['red', 'green'] }, { answer: 'green' })).toBe('green')
  })

  it('is what was filled in, and an empty field is not an answer', () => {
    expect(answerInWords({}, { name: 'a', count: 2 })).toBe('name: a, count: 2')
    expect(answerInWords({}, null)).toBe('no answer')
  })
})

/** The wording of every kind of mark and every end of a turn: other tests pin only what they are about. */
describe('the table of wording', () => {
  const by = { kind: 'web', id: 'usr_someone0' } as const
  const phase = (name: string, state: 'running' | 'done' | 'failed') =>
    ({ is: 'phase', phase: name, state, ms: null, error: null }) as const
  const marks: [string, MarkItem['mark']][] = [
    ['Checkpoint 3', { is: 'checkpoint', number: 3, sha: 'abc', upTo: 1 }],
    ['Workspace restored: 2 files', { is: 'restored', files: 2, missing: [], ms: null }],
    ['Commit abcdef0: Fix it', { is: 'commit', by, sha: 'abcdef012', branch: null, message: 'Fix it\nnow' }],
    ['Pull request opened', { is: 'pull-request', url: 'u', branch: 'b', isOpened: true }],
    ['The branch b was pushed', { is: 'pull-request', url: 'u', branch: 'b', isOpened: false }],
    ['A branch was pushed', { is: 'pull-request', url: 'u', branch: null, isOpened: false }],
    ['The run has failed', { is: 'status', status: 'failed', reason: null }],
    ['Asleep; a message wakes it', { is: 'status', status: 'asleep', reason: null }],
    ['Waiting', { is: 'status', status: 'queued', reason: null }],
    ['codex began', { is: 'agent', agent: 'codex', how: 'new' }],
    ['codex was briefed on the run so far, and goes on', { is: 'agent', agent: 'codex', how: 'briefed' }],
    ['Creating a sandbox', phase('provisioning', 'running')],
    ['Sandbox ready', phase('provisioning', 'done')],
    ['The sandbox could not be created', phase('provisioning', 'failed')],
    ['Copying files into the sandbox', phase('restoring', 'running')],
    ['Running the setup command', phase('setup', 'running')],
    ['The setup command failed', phase('setup', 'failed')],
    ['The checkpoint failed', phase('checkpointing', 'failed')],
    ['of tomorrow: done', phase('of tomorrow', 'done')],
    ['Rewound to the beginning', { is: 'rewind', to: 1, where: { is: 'beginning' }, before: 1, taken: [] }],
    ['The rewind was undone', { is: 'rewind', to: 1, where: { is: 'undone' }, before: 1, taken: [] }],
    ['Moved to a computer of yours', { is: 'moved', to: 'none' }],
    ['Moved to a sandbox', { is: 'moved', to: 'auto' }],
    ["The run's mode is now background", { is: 'mode', of: 'run', mode: 'background', by }],
    ["The agent's mode is now Plan", { is: 'mode', of: 'agent', mode: 'Plan', by }],
    ['Stopped by you', { is: 'cancelled', by }],
    ['Closed', { is: 'closed', reason: null }],
    ['laptop is kept in sync', { is: 'device', name: 'laptop', by }],
  ]

  it.each(marks)('%s', (words, mark) => expect(markInWords(mark).words).toBe(words))

  it.each([
    ['end_turn', 'Done'],
    ['cancelled', 'Stopped'],
    ['failed', 'The turn failed'],
    ['interrupted', 'Interrupted: the agent ended twice over this message'],
    ['limit', 'Stopped at its limit'],
    ['refusal', 'The agent refused'],
    ['max_tokens', 'Cut short: the model reached its output limit'],
    ['max_turn_requests', 'Stopped at its limit of model requests'],
  ])('%s is %s', (stopReason, words) => expect(turnEndInWords({ stopReason }).words).toBe(words))
})
