import type { CreateElicitationRequest, RequestPermissionRequest } from '@agentclientprotocol/sdk'
import { checkNotification } from '@farhand/protocol/events/check-notification'
import type { QuestionId } from '@farhand/protocol/wire/ids'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { questionOf } from './question-of.ts'

const id = 'qst_00000001' as QuestionId
const pair: RequestPermissionRequest['options'] = [
  { optionId: 'a', name: 'Allow', kind: 'allow_once' },
  { optionId: 'r', name: 'Reject', kind: 'reject_once' },
]
const permission = (toolCall: object, options: readonly object[] = pair, more: object = {}) => ({
  method: 'session/request_permission',
  params: { sessionId: 's', toolCall: { toolCallId: 't', ...toolCall }, options, ...more },
})
const elicitation = (params: object) => ({
  method: 'elicitation/create',
  params: { sessionId: 's', ...params },
})
const form = (properties: object, more: object = {}) =>
  elicitation({
    mode: 'form',
    message: 'Which one?',
    requestedSchema: { type: 'object', properties, ...more },
  })

const asked = (ask: { method: string; params: unknown }) => questionOf(ask, id)
const admitted = (ask: { method: string; params: unknown }) => {
  const { params } = asked(ask)
  checkNotification({ jsonrpc: '2.0', method: '_posthog/agent_question', params }, 'runner')
  expect(JSON.stringify(params).isWellFormed()).toBe(true)
  return params
}

describe('a permission', () => {
  it('becomes a question with its options by name and id', () => {
    const params: RequestPermissionRequest = {
      sessionId: 's',
      toolCall: {
        toolCallId: 'call_1',
        title: 'Run tests',
        kind: 'execute',
        rawInput: { command: 'npm test' },
      },
      options: pair,
    }
    expect(admitted({ method: 'session/request_permission', params })).toEqual({
      questionId: id,
      question: 'Run tests\nCommand: npm test',
      kind: 'permission',
      options: pair,
      toolCallId: 'call_1',
    })
  })

  it('says which command would run where, but not twice', () => {
    expect(admitted(permission({ title: '`npm test`', rawInput: { command: 'npm test' } })).question).toBe(
      '`npm test`',
    )
    const codex = permission({ kind: 'execute', rawInput: { command: ['bash', '-lc', 'ls'], cwd: '/w' } })
    expect(admitted(codex).question).toBe('Run a command\nCommand: bash -lc ls\nIn: /w')
  })

  it('says which files would change, and by how much', () => {
    const content = [
      { type: 'diff', path: '/w/a.ts', oldText: 'one\n', newText: 'one\ntwo' },
      { type: 'diff', path: '/w/b.ts', oldText: null, newText: 'x\n' },
    ]
    const ask = permission({ title: 'Edit /w/a.ts', kind: 'edit', content, locations: [{ path: '/w/a.ts' }] })
    expect(admitted(ask).question).toBe(
      'Edit /w/a.ts\nFile: /w/a.ts (1 line becomes 2)\nFile: /w/b.ts (1 new line)',
    )
    expect(asked(ask).tool).toEqual({ kind: 'edit', paths: ['/w/a.ts', '/w/b.ts'], runs: false })
  })

  it('says what would be done with a file also where the agent only names it', () => {
    const rawInput = { filepath: '/w/a.md' }
    const content = [{ type: 'diff', path: '/w/a.md', oldText: '', newText: 'a\nb\n' }]
    const ask = permission({ title: '/w/a.md', kind: 'edit', content, rawInput })
    expect(admitted(ask).question).toBe('Edit /w/a.md (2 new lines)')
    const other = permission({ title: '/w/a.md', kind: 'other', rawInput })
    expect(admitted(other).question).toBe('/w/a.md')
  })

  it('names twenty files and counts the rest', () => {
    const locations = Array.from({ length: 25 }, (_, n) => ({ path: `/w/${n}` }))
    const { question } = admitted(permission({ title: 'Edit', locations }))
    expect(question.match(/^File: /gm)).toHaveLength(20)
    expect(question).toContain('and 5 more files')
  })

  it('shows a long command whole: what is dangerous may stand at its end', () => {
    const command = `echo ${'a'.repeat(9000)}; rm -rf /`
    const { question } = asked(permission({ title: 'Running: echo aaaa…', rawInput: { command } })).params
    expect(question).toContain(command)
  })

  it('shows the beginning and the end of a command that no log could hold', () => {
    const command = `echo ${'a'.repeat(90_000)}; rm -rf /`
    const { question } = admitted(permission({ title: 'Running', rawInput: { command } }))
    expect(question).toMatch(/Command: echo aaa[\s\S]*\([\d,]+ characters are not shown\)[\s\S]*; rm -rf \//)
  })

  it('reads what a tool would be given also where the agent writes it as text', () => {
    const text = JSON.stringify({ command: 'echo hello; rm -rf x' })
    const content = [{ type: 'content', content: { type: 'text', text } }]
    const { question } = asked(permission({ title: 'Bash', kind: 'execute', content })).params
    expect(question).toContain('Command: echo hello; rm -rf x')
  })

  it('has options with names where the agent gives only ids, and "always" is never the first', () => {
    const kinds = ['allow_always', 'allow_once', 'reject_once', 'reject_always']
    const options = kinds.map((kind) => ({ optionId: kind, name: kind, kind }))
    expect(asked(permission({ title: 'shell' }, options)).params.options).toEqual([
      { optionId: 'allow_once', name: 'Allow once', kind: 'allow_once' },
      { optionId: 'allow_always', name: 'Always allow', kind: 'allow_always' },
      { optionId: 'reject_once', name: 'Reject', kind: 'reject_once' },
      { optionId: 'reject_always', name: 'Always reject', kind: 'reject_always' },
    ])
    const without = options.filter(({ kind }) => kind !== 'allow_once')
    expect(asked(permission({ title: 'shell' }, without)).params.options?.[0]).toMatchObject({
      kind: 'reject_once',
    })
  })

  it('shows the message that an agent puts beside its title, and all of it', () => {
    const rawInput = { method: 'confirm', title: 'Run a command', message: 'echo one\nrm -rf x' }
    const { question } = asked(permission({ title: 'Run a command', kind: 'other', rawInput })).params
    expect(question).toBe('Run a command\n\necho one\nrm -rf x')
  })

  it('shows what the agent says about it', () => {
    const content = [{ type: 'content', content: { type: 'text', text: 'It needs the network.' } }]
    expect(admitted(permission({ title: 'curl', content })).question).toBe('curl\n\nIt needs the network.')
  })

  it('cannot repaint a terminal or turn the text around', () => {
    const { question, options } = admitted(
      permission({ title: 'ls\u001b[2K\rsafe \u202egnihton\u0007', rawInput: { command: 'x\u001b[0m' } }, [
        { optionId: 'a', name: 'Allow\u001b[1m\nreally', kind: 'allow_once' },
      ]),
    )
    for (const mark of ['\u001b', '\u0007', '\r', '\u202e', '\\u001b'])
      expect(question + JSON.stringify(options)).not.toContain(mark)
    expect(options).toMatchObject([{ optionId: 'a', name: 'Allow\ufffd[1m really' }])
  })

  it('is told from a question that comes as one, with one option per answer', () => {
    const each = (kind?: string) => ['pg', 'sqlite'].map((name) => ({ optionId: name, name, kind }))
    for (const kind of ['allow_once', 'other', undefined]) {
      expect(admitted(permission({}, each(kind))).kind, kind).toBe('question')
      expect(admitted(permission({}, [...each(kind), pair[1]!])).kind, kind).toBe('question')
    }
    expect(admitted(permission({}, [])).kind).toBe('question')
    const usual = [...pair, { optionId: 'w', name: 'Always', kind: 'allow_always' }]
    expect(admitted(permission({}, usual)).kind).toBe('permission')
  })

  it('to begin with a plan is told from others, and shows the plan', () => {
    const plan = { title: 'Ready to code?', kind: 'switch_mode', rawInput: { plan: '1. Write\n2. Test' } }
    expect(asked(permission(plan))).toMatchObject({
      isPlan: true,
      params: { question: 'Ready to code?\n\n1. Write\n2. Test', isPlan: true },
    })
    for (const tool of [
      { kind: 'switch_mode' },
      { title: 'ExitPlanMode' },
      { name: 'exit_plan_mode' },
      { title: 'Approve this plan?' },
      { kind: 'other', rawInput: { plan: 'x' } },
    ])
      expect(asked(permission(tool)).isPlan, JSON.stringify(tool)).toBe(true)
    for (const tool of [{ title: 'Edit plan.md', kind: 'edit' }, { title: 'Explain' }, {}])
      expect(asked(permission(tool)).isPlan, JSON.stringify(tool)).toBe(false)
  })

  it('keeps the time and the default that its asker set', () => {
    const timed = permission({}, pair, { _meta: { timeoutSeconds: 30, default: 'r' } })
    expect(admitted(timed)).toMatchObject({ timeout: 30, default: 'r' })
    const wrong = admitted(
      permission({}, pair, { _meta: { timeoutSeconds: -1, default: 'x'.repeat(20_000) } }),
    )
    expect(wrong).not.toHaveProperty('timeout')
    expect(wrong).not.toHaveProperty('default')
  })
})

describe('a form', () => {
  it('with one thing to choose has options', () => {
    const params: CreateElicitationRequest = {
      sessionId: 's',
      toolCallId: 't',
      mode: 'form',
      message: 'Which database?',
      requestedSchema: {
        type: 'object',
        properties: {
          db: { type: 'string', oneOf: [{ const: 'pg', title: 'PostgreSQL', description: 'big' }] },
        },
      },
    }
    expect(admitted({ method: 'elicitation/create', params })).toEqual({
      questionId: id,
      question: 'Which database?\n  - PostgreSQL: big',
      kind: 'question',
      options: [{ optionId: 'pg', name: 'PostgreSQL' }],
      toolCallId: 't',
      form: params.mode === 'form' && 'requestedSchema' in params ? params.requestedSchema : null,
    })
  })

  it('of yes or no has these two; of text or numbers it has none', () => {
    expect(admitted(form({ go: { type: 'boolean' } })).options).toEqual([
      { optionId: 'true', name: 'Yes' },
      { optionId: 'false', name: 'No' },
    ])
    for (const type of ['string', 'number', 'integer'])
      expect(admitted(form({ it: { type } }))).not.toHaveProperty('options')
  })

  it('with several fields says what each is, and offers the choices of the main one', () => {
    const ask = form({
      question_0: { type: 'string', title: 'Store', description: 'Where?', enum: ['disk', 's3'] },
      question_0_custom: { type: 'string', title: 'Other' },
      tags: { type: 'string' },
    })
    const { question, options } = admitted(ask)
    expect(question).toBe(
      'Which one?\n- Store (question_0), optional: Where?\n  - disk\n  - s3\n- Other (question_0_custom), optional:\n- tags, optional:',
    )
    expect(options).toEqual([
      { optionId: 'disk', name: 'disk' },
      { optionId: 's3', name: 's3' },
    ])
  })

  it('with room for words of their own beside the choices is asked as one question', () => {
    const way = {
      type: 'string',
      title: 'Way',
      oneOf: [{ const: 'l', title: 'Left', description: 'uphill' }],
    }
    const fields = { question_0: way, question_0_custom: { type: 'string', title: 'Other' } }
    expect(admitted(form(fields)).question).toBe('Which one?\n  - Left: uphill\nOr in words of your own.')
    // What has to be chosen cannot be answered in other words.
    const needed = admitted(form(fields, { required: ['question_0'] })).question
    expect(needed).toContain('- Other (question_0_custom), optional:')
  })

  it('lists what several can be chosen of', () => {
    const items = {
      anyOf: [
        { const: 'a', title: 'Apple' },
        { const: 'b', title: 'Bread' },
      ],
    }
    const { question, options } = admitted(form({ food: { type: 'array', items } }))
    expect(question).toBe('Which one?\n  Any number of these:\n  - Apple\n  - Bread')
    expect(options).toBeUndefined()
  })

  it('has a default only if everything it needs has one', () => {
    const fields = { a: { type: 'string', default: 'x' }, b: { type: 'number' } }
    expect(admitted(form(fields)).default).toEqual({ a: 'x' })
    expect(admitted(form(fields, { required: ['b'] }))).not.toHaveProperty('default')
  })

  it('that is too long or too deep for the log is left to its text', () => {
    let deep: object = {}
    for (let n = 0; n < 200; n++) deep = { deep }
    expect(admitted(form({ a: { type: 'string', deep } }))).not.toHaveProperty('form')
    const long = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`field${n}`, { type: 'string' }]))
    expect(admitted(form(long))).not.toHaveProperty('form')
  })
})

describe('a page to open', () => {
  it('is named in the text and beside it', () => {
    const ask = elicitation({
      mode: 'url',
      message: 'Sign in',
      url: 'https://example.com/x',
      elicitationId: 'e',
    })
    expect(admitted(ask)).toMatchObject({
      question: 'Sign in\nOpen: https://example.com/x',
      url: 'https://example.com/x',
      options: [
        { optionId: 'accept', name: 'I have opened it' },
        { optionId: 'decline', name: 'Decline' },
      ],
    })
  })
})

describe('any request of an agent', () => {
  it('W10 fits into the log', () => {
    const long = 'ü😀'.repeat(30_000)
    const many = Array.from({ length: 300 }, (_, n) => ({
      optionId: `${n}${long}`,
      name: long,
      kind: n % 2 ? 'allow_once' : long,
    }))
    const { options, question } = admitted(
      permission({ title: long, toolCallId: long, rawInput: { plan: long } }, many),
    )
    expect(options).toHaveLength(100)
    expect(new Set(options!.map((option) => (option as { optionId: string }).optionId)).size).toBe(100)
    expect(question).toMatch(/\(200 more options are not shown\.\)$/)
    const choices = many.map(({ optionId, name }) => ({ const: optionId, title: name, description: long }))
    admitted(form({ [long]: { type: 'string', title: long, description: long, oneOf: choices } }))
    admitted(elicitation({ mode: 'url', message: long, url: long }))
  })

  it('is asked, however wrong it is', () => {
    for (const params of [
      null,
      7,
      'x',
      [],
      {},
      { toolCall: 7, options: {} },
      { toolCall: { title: 1 }, options: [7] },
    ]) {
      for (const method of ['session/request_permission', 'elicitation/create'])
        expect(admitted({ method, params }).question).not.toBe('')
    }
  })

  it('is asked, with any JSON in it', () => {
    const half = fc.record(
      {
        toolCall: fc.jsonValue(),
        options: fc.jsonValue(),
        message: fc.jsonValue(),
        requestedSchema: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(
        half,
        fc.constantFrom('session/request_permission', 'elicitation/create'),
        (params, method) => {
          admitted({ method, params })
        },
      ),
      { numRuns: 300 },
    )
  })
})
