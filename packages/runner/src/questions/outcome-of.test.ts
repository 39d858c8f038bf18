import type { QuestionId } from '@farhand/protocol/wire/ids'
import { describe, expect, it } from 'vitest'
import { outcomeOf, withdrawal } from './outcome-of.ts'
import { questionOf } from './question-of.ts'

const allow = { optionId: 'proceed', name: 'Allow', kind: 'allow_once' }
const always = { optionId: 'proceed_always', name: 'Always Allow', kind: 'allow_always' }
const reject = { optionId: 'cancel', name: 'Reject', kind: 'reject_once' }
const permission = (...options: object[]) => ({
  method: 'session/request_permission',
  params: { sessionId: 's', toolCall: { toolCallId: 't' }, options },
})
const form = (properties: object, required: string[] = []) => ({
  method: 'elicitation/create',
  params: {
    sessionId: 's',
    mode: 'form',
    message: '?',
    requestedSchema: { type: 'object', properties, required },
  },
})
const page = {
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Sign in', url: 'https://example.com', elicitationId: 'e' },
}
type Ask = { method: string; params: object }
const resultOf = (ask: Ask, answer: unknown) => {
  const outcome = outcomeOf(ask, answer)
  return 'result' in outcome ? outcome.result : outcome
}
const selected = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } })
const accepted = (content: object) => ({ action: 'accept', content })
const problem = (part: string) => ({ problem: expect.stringContaining(part) })

describe('an answer to a permission', () => {
  const ask = permission(allow, always, reject)

  it('is an option by its id, its name, its number, or as ACP writes it', () => {
    for (const answer of [
      'proceed_always',
      'Always Allow',
      ' always allow ',
      'PROCEED_ALWAYS',
      2,
      '2',
      '2.',
      { optionId: 'proceed_always' },
      { outcome: { outcome: 'selected', optionId: 'proceed_always' } },
    ])
      expect(resultOf(ask, answer), JSON.stringify(answer)).toEqual(selected('proceed_always'))
  })

  it('says which option was meant, for the log', () => {
    expect(outcomeOf(ask, 'reject')).toMatchObject({ optionId: 'cancel' })
  })

  it('of yes allows as little as can be, of no rejects', () => {
    for (const yes of [true, 'yes', 'Yes.', 'y', 'OK'])
      expect(resultOf(ask, yes)).toEqual(selected('proceed'))
    for (const no of [false, 'no', 'NO!', 'deny']) expect(resultOf(ask, no)).toEqual(selected('cancel'))
    expect(resultOf(permission(always, reject), 'yes')).toEqual(selected('proceed_always'))
  })

  it('of yes says too little where two options allow as much', () => {
    const twice = permission(always, { ...always, optionId: 'for_good', name: 'For good' }, reject)
    expect(resultOf(twice, 'yes')).toEqual(problem('1. Reject, 2. Always Allow, 3. For good'))
    expect(resultOf(permission(allow), 'no')).toEqual(problem('1. Allow'))
  })

  it('that fits nothing leaves it open, and never picks the first', () => {
    for (const answer of [
      'maybe',
      '',
      'all',
      0,
      4,
      -1,
      1.5,
      '7',
      {},
      [],
      ['proceed'],
      undefined,
      { optionId: 'x' },
    ])
      expect(resultOf(ask, answer), JSON.stringify(answer)).toEqual(
        problem('1. Allow, 2. Always Allow, 3. Reject'),
      )
  })

  it('of null cancels', () => {
    for (const answer of [null, { outcome: { outcome: 'cancelled' } }])
      expect(resultOf(ask, answer)).toEqual({ outcome: { outcome: 'cancelled' } })
  })

  it('that two options answer to is no answer', () => {
    const same = permission(allow, { ...always, name: 'Allow' }, reject)
    expect(resultOf(same, 'Allow')).toEqual(problem('1. Allow, 2. Allow'))
    expect(resultOf(same, 'proceed')).toEqual(selected('proceed'))
  })

  it('by an id that two options share means the first of them, which is the only one shown', () => {
    const twice = permission(allow, { ...always, optionId: 'proceed' }, reject)
    expect(resultOf(twice, 'proceed')).toEqual(selected('proceed'))
    expect(questionOf(twice, 'qst_00000001' as QuestionId).params.options).toEqual([allow, reject])
  })

  it('that fits nothing is told so in few words, however many options there are', () => {
    const many = Array.from({ length: 100 }, (_, n) => ({ optionId: `${n}`, name: 'x'.repeat(5000) }))
    expect(JSON.stringify(resultOf(permission(...many), 'y')).length).toBeLessThan(4000)
  })

  it('goes by the name before the number', () => {
    const numbers = ['3', '2', '1'].map((name) => ({ optionId: `o${name}`, name, kind: 'allow_once' }))
    expect(resultOf(permission(...numbers), '3')).toEqual(selected('o3'))
  })

  it('gives the agent its own option id, even one that is too long for the log', () => {
    const long = { optionId: 'x'.repeat(2000), name: 'Long', kind: 'allow_once' }
    const ask = permission(long, { ...reject, optionId: 'option-1_' })
    const [shown] = questionOf(ask, 'qst_00000001' as QuestionId).params.options as { optionId: string }[]
    expect(shown!.optionId).toBe('option-1')
    expect(resultOf(ask, 'option-1')).toEqual(selected(long.optionId))
    expect(outcomeOf(ask, 'Long')).toMatchObject({ optionId: 'option-1' })
  })
})

describe('an answer to a question that comes as a permission', () => {
  const ask = permission(
    { optionId: '0', name: 'Yes, with tests', kind: 'allow_once' },
    { optionId: '1', name: 'No tests', kind: 'allow_once' },
  )

  it('is one of its options, and yes is none', () => {
    expect(resultOf(ask, 'no TESTS')).toEqual(selected('1'))
    expect(resultOf(ask, '1')).toEqual(selected('1'))
    for (const answer of ['yes', 'no', true, false])
      expect(resultOf(ask, answer)).toEqual(problem('No tests'))
  })
})

describe('an answer to a form', () => {
  const one = form({
    db: {
      type: 'string',
      oneOf: [
        { const: 'pg', title: 'PostgreSQL' },
        { const: 'lite', title: 'SQLite' },
      ],
    },
  })

  it('chooses by value, title or number', () => {
    for (const answer of ['pg', 'PostgreSQL', 'postgresql', 1, '1', { db: 'pg' }, { db: 'PostgreSQL' }])
      expect(resultOf(one, answer), JSON.stringify(answer)).toEqual(accepted({ db: 'pg' }))
    expect(outcomeOf(one, 'sqlite')).toMatchObject({ optionId: 'lite' })
    expect(resultOf(one, 'oracle')).toEqual(problem('db must be one of: PostgreSQL, SQLite'))
  })

  it('may be what ACP says, and no answer declines', () => {
    expect(resultOf(one, { action: 'accept', content: { db: 'lite' } })).toEqual(accepted({ db: 'lite' }))
    expect(resultOf(one, { action: 'accept', content: { db: 'oracle' } })).toEqual(problem('db'))
    for (const answer of [{ action: 'decline' }, null, 'decline'])
      expect(resultOf(one, answer)).toEqual({ action: 'decline' })
    for (const answer of [{ action: 'cancel' }, 'cancel'])
      expect(resultOf(one, answer)).toEqual({ action: 'cancel' })
  })

  it('in plain words is for the only field, even if it reads like a choice', () => {
    const text = form({ name: { type: 'string', minLength: 2, maxLength: 8 } })
    for (const answer of ['Ada', 'cancel', 'yes', '12'])
      expect(resultOf(text, answer)).toEqual(accepted({ name: answer }))
    expect(resultOf(text, 'A')).toEqual(problem('at least 2 characters'))
    expect(resultOf(text, 'Ada Lovelace')).toEqual(problem('at most 8 characters'))
    expect(resultOf(text, 7)).toEqual(problem('must be text'))
  })

  it('is a number where a number is asked for', () => {
    const count = form({ n: { type: 'integer', minimum: 1, maximum: 9 } })
    for (const answer of [3, '3', ' 3 ', { n: '3' }])
      expect(resultOf(count, answer)).toEqual(accepted({ n: 3 }))
    expect(resultOf(count, 'three')).toEqual(problem('a number'))
    expect(resultOf(count, ' ')).toEqual(problem('a number'))
    expect(resultOf(count, 1.5)).toEqual(problem('a whole number'))
    expect(resultOf(count, 0)).toEqual(problem('at least 1'))
    expect(resultOf(count, 10)).toEqual(problem('at most 9'))
  })

  it('is yes or no where that is asked for', () => {
    const go = form({ go: { type: 'boolean' } })
    for (const answer of [true, 'yes', 'Yes', 'true', { go: 'y' }])
      expect(resultOf(go, answer)).toEqual(accepted({ go: true }))
    for (const answer of [false, 'no', { go: false }])
      expect(resultOf(go, answer)).toEqual(accepted({ go: false }))
    expect(resultOf(go, 'perhaps')).toEqual(problem('yes or no'))
  })

  it('chooses several where that is asked for', () => {
    const items = {
      anyOf: [
        { const: 'a', title: 'Apple' },
        { const: 'b', title: 'Bread, dark' },
        { const: 'c', title: 'C' },
      ],
    }
    const food = form({ food: { type: 'array', items, minItems: 1, maxItems: 2 } })
    expect(resultOf(food, 'apple, c')).toEqual(accepted({ food: ['a', 'c'] }))
    expect(resultOf(food, 'Bread, dark')).toEqual(accepted({ food: ['b'] }))
    expect(resultOf(food, ['a', 'Apple'])).toEqual(accepted({ food: ['a'] }))
    expect(resultOf(food, { food: [] })).toEqual(problem('at least 1'))
    expect(resultOf(food, 'a,Bread\nc')).toEqual(problem('some of'))
    expect(resultOf(food, ['a', 'b', 'c'])).toEqual(problem('at most 2'))
    const plain = form({ food: { type: 'array', items: { type: 'string', enum: ['x', 'y'] } } })
    expect(resultOf(plain, 'y')).toEqual(accepted({ food: ['y'] }))
  })

  it('in words that fit no choice goes to the field for own words, if there is one', () => {
    const own = form({ store: { type: 'string', enum: ['disk', 's3'] }, store_custom: { type: 'string' } })
    expect(resultOf(own, 's3')).toEqual(accepted({ store: 's3' }))
    expect(resultOf(own, 'on tape')).toEqual(accepted({ store_custom: 'on tape' }))
    const needed = form({ store: { type: 'string', enum: ['disk'] }, store_custom: { type: 'string' } }, [
      'store',
    ])
    expect(resultOf(needed, 'on tape')).toEqual(problem('store must be one of: disk'))
  })

  it('in plain words says too little where several fields are needed', () => {
    const two = form({ a: { type: 'string' }, b: { type: 'string', title: 'Bee' } }, ['a', 'b'])
    expect(resultOf(two, 'x')).toEqual(problem('a, Bee (b)'))
    expect(resultOf(two, { a: 'x' })).toEqual(problem('Bee (b) is missing'))
    expect(resultOf(two, { a: 'x', b: 'y', c: 'z' })).toEqual(problem('no field "c"'))
    expect(resultOf(two, { a: 'x', b: 'y' })).toEqual(accepted({ a: 'x', b: 'y' }))
  })

  it('takes the default of what is needed and left out, and of nothing else', () => {
    const ask = form({ a: { type: 'string', default: 'x' }, b: { type: 'string', default: 'y' } }, ['a'])
    expect(resultOf(ask, {})).toEqual(accepted({ a: 'x' }))
  })

  it('knows a field called action from an answer as ACP writes it', () => {
    const ask = form({ action: { type: 'string', enum: ['decline', 'merge'] } })
    expect(resultOf(ask, { action: 'decline' })).toEqual(accepted({ action: 'decline' }))
    expect(resultOf(ask, 'decline')).toEqual(accepted({ action: 'decline' }))
  })

  it('with nothing to fill in is yes or no', () => {
    const empty = form({})
    for (const answer of ['accept', 'Accept', true, {}, { action: 'accept' }])
      expect(resultOf(empty, answer), JSON.stringify(answer)).toEqual(accepted({}))
    for (const answer of ['no', false, null, 'Decline'])
      expect(resultOf(empty, answer)).toEqual({ action: 'decline' })
    expect(resultOf(empty, 'hm')).toEqual(problem('1. Accept, 2. Decline'))
  })
})

describe('an answer to a page that was to be opened', () => {
  it('is that it was, or was not', () => {
    for (const answer of ['accept', 'I have opened it', true])
      expect(resultOf(page, answer)).toEqual({ action: 'accept' })
    for (const answer of ['decline', false, null])
      expect(resultOf(page, answer)).toEqual({ action: 'decline' })
    expect(resultOf(page, { action: 'accept' })).toEqual({ action: 'accept' })
    expect(resultOf(page, {})).toEqual(problem('1. I have opened it'))
    expect(resultOf(page, 'cancel')).toEqual({ action: 'cancel' })
  })
})

describe('a question that will not be answered any more', () => {
  it('is cancelled in the words of its method', () => {
    expect(withdrawal(permission())).toEqual({ outcome: { outcome: 'cancelled' } })
    expect(withdrawal(page)).toEqual({ action: 'cancel' })
  })
})
