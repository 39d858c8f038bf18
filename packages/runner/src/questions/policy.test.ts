import type { QuestionId } from '@farhand/protocol/wire/ids'
import { describe, expect, it } from 'vitest'
import { outcomeOf } from './outcome-of.ts'
import { decideByPolicy } from './policy.ts'
import { questionOf } from './question-of.ts'

const id = 'qst_00000001' as QuestionId
const workspace = '/home/me/code'
const options = [
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'once', name: 'Once', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
  { optionId: 'never', name: 'Never', kind: 'reject_always' },
]
const permission = (toolCall: object, more: object = {}) => ({
  method: 'session/request_permission',
  params: { sessionId: 's', toolCall: { toolCallId: 't', ...toolCall }, options, ...more },
})
const at = (...paths: string[]) => ({ locations: paths.map((path) => ({ path })) })
const edit = permission({ title: 'Edit a', kind: 'edit', ...at(`${workspace}/a`) })
const execute = permission({ title: 'rm -rf /', kind: 'execute', rawInput: { command: 'rm -rf /' } })
const plan = permission({ title: 'Ready to code?', kind: 'switch_mode', rawInput: { plan: '1. begin' } })
const form = (more: object = {}) => ({
  method: 'elicitation/create',
  params: {
    message: 'Which?',
    mode: 'form',
    requestedSchema: {
      type: 'object',
      properties: { db: { type: 'string', enum: ['pg', 'sqlite'], ...more } },
    },
  },
})

type Ask = { method: string; params: object }
const under = (ask: Ask, policy: unknown, mode: 'background' | 'interactive' = 'background') =>
  decideByPolicy(questionOf(ask, id), { mode, policy, workspace, leadsTo: (path) => path })
const answered = (answer: unknown, by: string) => expect.objectContaining({ do: 'settle', answer, by })

describe('a policy', () => {
  it('is to ask, when the user has set none, or an unknown one', () => {
    for (const policy of ['ask', 'yolo', 'constructor', 7, [], { permission: 'sure' }]) {
      for (const ask of [edit, execute, plan, form()]) {
        expect(under(ask, policy), JSON.stringify(policy)).toEqual({ do: 'ask' })
      }
    }
    for (const policy of [null, undefined])
      for (const ask of [edit, execute, plan, form()])
        expect(under(ask, policy, 'interactive')).toEqual({ do: 'ask' })
  })

  it('does not hold in interactive mode, unless its terms say so', () => {
    for (const policy of ['deny', 'allow-edits', 'allow-all', { base: 'allow-all' }]) {
      for (const ask of [edit, execute, plan])
        expect(under(ask, policy, 'interactive')).toEqual({ do: 'ask' })
    }
    const terms = { base: 'allow-edits', interactive: true }
    expect(under(edit, terms, 'interactive')).toEqual(answered('once', 'policy:terms'))
    expect(under(execute, terms, 'interactive')).toEqual({ do: 'ask' })
  })

  it('deny rejects once, plans too, and says who did it and why', () => {
    expect(under(execute, 'deny')).toEqual({
      do: 'settle',
      answer: 'no',
      by: 'policy:deny',
      why: 'The policy of this run denies permissions.',
    })
    expect(under(plan, 'deny')).toMatchObject({ answer: 'no', why: expect.stringContaining('plans') })
  })

  it('deny cancels what cannot be rejected', () => {
    const only = permission({ kind: 'execute' }, { options: options.slice(0, 2) })
    expect(under(only, 'deny')).toMatchObject({ do: 'settle', answer: null })
    expect(outcomeOf(only, null)).toMatchObject({ result: { outcome: { outcome: 'cancelled' } } })
  })

  it('allows no more than once where it can', () => {
    expect(under(execute, 'allow-all')).toEqual(answered('once', 'policy:allow-all'))
    const lasting = permission({ kind: 'execute' }, { options: [options[0], options[2]] })
    expect(under(lasting, 'allow-all')).toEqual(answered('always', 'policy:allow-all'))
  })

  it('allow-edits allows to edit and move in the workspace, and asks for everything else', () => {
    const moved = permission({ kind: 'move', ...at('src/a', 'src/b') })
    for (const ask of [edit, moved])
      expect(under(ask, 'allow-edits')).toEqual(answered('once', 'policy:allow-edits'))
    for (const kind of ['execute', 'delete', 'fetch', 'read', 'other', undefined]) {
      expect(under(permission({ kind, ...at(`${workspace}/a`) }), 'allow-edits'), kind).toEqual({ do: 'ask' })
    }
  })

  it('allow-edits asks when a path is outside, in any field of the agent’s request, or none is named', () => {
    const outside = '/etc/passwd'
    const diff = { content: [{ type: 'diff', path: outside, newText: 'x' }] }
    for (const more of [
      {},
      at(outside),
      at(`${workspace}/a`, outside),
      at(`${workspace}/../b`),
      at(`${workspace}-2/a`),
      at(`${workspace}/.git/hooks/pre-commit`),
      at('~/a'),
      { ...at(`${workspace}/a`), ...diff },
      { ...at(`${workspace}/a`), rawInput: { file_path: outside } },
      { ...at(`${workspace}/a`), rawInput: { destination: outside } },
      { ...at(`${workspace}/a`), rawInput: { newPath: '../b' } },
      { ...at(`${workspace}/a`), rawInput: { paths: ['b', outside] } },
    ]) {
      expect(under(permission({ kind: 'edit', ...more }), 'allow-edits'), JSON.stringify(more)).toEqual({
        do: 'ask',
      })
    }
  })

  it('allow-edits asks when a file is moved outside, and when an edit is made by a command', () => {
    const inside = at(`${workspace}/a`)
    for (const rawInput of [{ to: '/etc/a' }, { from: '~/a' }, { source: '/a' }, { target: '../a' }])
      expect(under(permission({ kind: 'move', ...inside, rawInput }), 'allow-edits')).toEqual({ do: 'ask' })
    for (const command of ['rm -rf /', ['sh', '-c', 'x'], 'cat > a; ls'])
      expect(under(permission({ kind: 'edit', ...inside, rawInput: { command } }), 'allow-edits')).toEqual({
        do: 'ask',
      })
    // Some editors call what they do to a file their command.
    const replacing = permission({ kind: 'edit', ...inside, rawInput: { command: 'str_replace', path: 'a' } })
    expect(under(replacing, 'allow-edits')).toEqual(answered('once', 'policy:allow-edits'))
  })

  it('begins no plan, unless it allows everything or says so of plans', () => {
    const disguised = permission({ kind: 'edit', title: 'Approve the plan?', ...at(`${workspace}/plan.md`) })
    for (const ask of [plan, disguised]) {
      expect(under(ask, 'allow-edits')).toEqual({ do: 'ask' })
      expect(under(ask, { permission: 'allow' })).toEqual({ do: 'ask' })
      expect(under(ask, { base: 'allow-all', plan: 'ask' })).toEqual({ do: 'ask' })
      expect(under(ask, 'allow-all')).toEqual(answered('once', 'policy:allow-all'))
      expect(under(ask, { plan: 'allow' })).toEqual(answered('once', 'policy:terms'))
    }
  })

  it('answers no question, not even one that comes as a permission', () => {
    const oneEach = permission(
      {},
      {
        options: ['pg', 'sqlite'].map((name) => ({ optionId: name, name, kind: 'allow_once' })),
      },
    )
    for (const policy of ['deny', 'allow-edits', 'allow-all', { permission: 'allow', plan: 'allow' }]) {
      expect(under(oneEach, policy)).toEqual({ do: 'ask' })
      expect(under(form(), policy)).toEqual({ do: 'ask' })
      expect(under(form({ default: 'pg' }), policy)).toEqual({ do: 'ask' })
    }
    expect(under(form(), { question: 'decline' })).toEqual(answered(null, 'policy:terms'))
    expect(outcomeOf(form(), null)).toMatchObject({ result: { action: 'decline' } })
  })

  it('leaves a plan with two ways to begin once to a person, even if it allows everything', () => {
    const ways = ['a', 'b'].map((name) => ({ optionId: name, name, kind: 'allow_once' }))
    const ask = permission({ kind: 'switch_mode' }, { options: [...ways, options[2]] })
    expect(under(ask, 'allow-all')).toEqual({ do: 'ask' })
    expect(under(ask, 'deny')).toEqual(answered('no', 'policy:deny'))
  })

  it('waits no longer than its terms say, and then takes the default or cancels', () => {
    const terms = { timeoutSeconds: 60 }
    expect(under(form({ default: 'pg' }), terms)).toEqual({
      do: 'ask-until',
      seconds: 60,
      answer: { db: 'pg' },
      by: 'policy:terms',
      why: 'No answer within 60 seconds, so its default was taken.',
    })
    expect(under(execute, terms)).toMatchObject({ do: 'ask-until', seconds: 60, answer: null })
    expect(under(execute, terms, 'interactive')).toEqual({ do: 'ask' })
  })
})

describe('W65 background mode without a policy', () => {
  const by = 'policy:background'

  it('W65 rejects permissions and plans, even if the agent names a default', () => {
    for (const ask of [edit, execute, plan]) expect(under(ask, null)).toEqual(answered('no', by))
    const wishing = permission({ kind: 'execute' }, { _meta: { timeoutSeconds: 5, default: 'once' } })
    expect(under(wishing, null)).toEqual(answered('no', by))
    const bare = permission({ kind: 'execute' }, { options: [options[1]] })
    expect(under(bare, null)).toEqual(answered(null, by))
  })

  it('W65 holds for a run that was never given a policy, as for one whose policy was taken back', () => {
    expect(under(execute, undefined)).toEqual(answered('no', by))
  })

  it('W65 begins no plan by the name of a choice: an agent may call anything Skip', () => {
    const disguised = permission(
      { title: 'Ready to code?', kind: 'switch_mode', rawInput: { plan: '1. begin' } },
      {
        options: [
          { optionId: 'begin', name: 'Skip the review and begin', kind: 'allow_once' },
          { optionId: 'back', name: 'Plan further', kind: 'reject_once' },
        ],
      },
    )
    expect(under(disguised, null)).toEqual(answered('back', by))
  })

  it('W65 takes the default of a question, without waiting for its time', () => {
    expect(under(form({ default: 'sqlite' }), null)).toEqual(answered({ db: 'sqlite' }, by))
  })

  it('W65 takes the choice that changes least, and goes on without an answer where there is none', () => {
    const choosing = (...names: string[]) => form({ enum: names })
    expect(under(choosing('Yes', 'No', 'Skip for now'), null)).toEqual(answered('Skip for now', by))
    expect(under(choosing('Yes', 'no, leave it'), null)).toEqual(answered('no, leave it', by))
    expect(under(choosing('Delete all', 'Cancel'), null)).toEqual(answered('Cancel', by))
    expect(under(choosing('Notify them', 'Norway'), null)).toEqual(answered(null, by))
    expect(under(choosing('Go on', 'No - do nothing.'), null)).toEqual(answered('No - do nothing.', by))
    expect(under(choosing('Stop, thanks', 'Don’t (keep it as it is)'), null)).toEqual(
      answered('Don’t (keep it as it is)', by),
    )
    expect(under(form(), null)).toMatchObject({
      answer: null,
      why: expect.stringContaining('without an answer'),
    })
  })

  it.each([
    'No backup, overwrite',
    'No, delete it',
    'No: start over',
    'Keep going',
    'Leave and delete',
    'Skip tests and deploy',
    'Skip the backup',
    'None of the files are kept',
    'Nothing is kept',
    'Not now but tonight',
    'Do not ask, push',
    'Don’t wait',
    'Ignore the conflicts',
    'Cancel the subscription',
    'Stop the server',
    'Stop, delete it',
    'Exit and discard',
  ])('W65 does not take %j for a choice that changes nothing, though it begins as one', (name) => {
    expect(under(form({ enum: ['Yes', name] }), null)).toEqual(answered(null, by))
  })

  it('W65 says in the agent’s words what it was given: every such answer fits its question', () => {
    for (const ask of [edit, execute, plan, form(), form({ default: 'pg' }), form({ enum: ['a', 'No'] })]) {
      const decision = under(ask, null)
      expect(outcomeOf(ask, 'answer' in decision ? decision.answer : undefined)).toHaveProperty('result')
    }
  })
})

describe("a question's own time", () => {
  it('holds in both modes and before that of the policy, but what a policy settles is not waited for', () => {
    const timed = permission({ kind: 'execute' }, { _meta: { timeoutSeconds: 5, default: 'no' } })
    for (const mode of ['background', 'interactive'] as const) {
      expect(under(timed, { timeoutSeconds: 60 }, mode)).toMatchObject({
        do: 'ask-until',
        seconds: 5,
        answer: 'no',
        by: 'question',
      })
    }
    expect(under(timed, 'allow-all')).toEqual(answered('once', 'policy:allow-all'))
  })

  it('that no timer can be set for is no time: it must not go off at once', () => {
    const month = 31 * 24 * 3600
    const timed = permission({ kind: 'execute' }, { _meta: { timeoutSeconds: month } })
    expect(under(timed, 'ask')).toEqual({ do: 'ask' })
    expect(under(execute, { timeoutSeconds: month })).toEqual({ do: 'ask' })
  })

  it('allows nothing and begins no plan, with any default that the agent names', () => {
    for (const wished of ['once', 'Always', 1, true, 'yes', { outcome: 'selected', optionId: 'once' }]) {
      const _meta = { timeoutSeconds: 5, default: wished }
      for (const toolCall of [{ kind: 'execute' }, { kind: 'switch_mode', rawInput: { plan: '1.' } }]) {
        const decision = under(permission(toolCall, { _meta }), { timeoutSeconds: 60 })
        expect(decision, JSON.stringify(wished)).toMatchObject({ do: 'ask-until', seconds: 5, answer: null })
      }
    }
    const rejecting = permission({ kind: 'switch_mode' }, { _meta: { timeoutSeconds: 5, default: 'No' } })
    expect(under(rejecting, 'ask')).toMatchObject({ do: 'ask-until', answer: 'No' })
  })

  it('without a default ends in a cancel', () => {
    const timed = permission({ kind: 'execute' }, { _meta: { timeoutSeconds: 5 } })
    expect(under(timed, 'ask')).toMatchObject({ do: 'ask-until', seconds: 5, answer: null })
  })
})
