import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type MethodName, methods } from '../methods/methods.ts'
import type { Author } from '../wire/event.ts'
import { Fault } from '../wire/faults.ts'
import { checkNotification } from './check-notification.ts'
import { sampleHash } from './sample-log.ts'

type Kind = Author['kind']

const say = (method: string, params?: unknown) => ({
  jsonrpc: '2.0',
  method,
  ...(params !== undefined && { params }),
})

function refused(
  value: unknown,
  kind: Kind,
): { code: string; field?: string | undefined; message: string } | null {
  try {
    checkNotification(value, kind)
    return null
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault
    return { code: fault.code, field: fault.details.field, message: fault.message }
  }
}

const file = { path: 'src/a.ts', action: 'modified', hash: sampleHash('a'), size: 1, mode: '100644' }

describe('a notification that arrives', () => {
  it('W10 is JSON-RPC 2.0 without an id, or the answer names the field', () => {
    for (const value of [null, 1, 'x', [], undefined]) {
      expect(refused(value, 'web')).toMatchObject({ code: 'request.malformed' })
    }
    expect(refused({ method: 'x' }, 'web')?.field).toBe('jsonrpc')
    expect(refused({ jsonrpc: '1.0', method: '_x' }, 'web')?.field).toBe('jsonrpc')
    expect(refused({ jsonrpc: '2.0' }, 'web')?.field).toBe('method')
    expect(refused(say(''), 'web')?.field).toBe('method')
    expect(refused(say(`_${'x'.repeat(200)}`), 'web')?.field).toBe('method')
    expect(refused({ ...say('_x'), id: 1 }, 'web')?.field).toBe('id')
    for (const params of [[], 'x', 1, null]) expect(refused(say('_x', params), 'web')?.field).toBe('params')
  })

  it('W10 a bad param is refused by name', () => {
    expect(refused(say('_posthog/user_message', {}), 'web')?.field).toBe('params.content')
    expect(refused(say('_posthog/user_message'), 'web')?.field).toBe('params.content')
    expect(refused(say('_posthog/user_message', { content: '  ' }), 'web')?.field).toBe('params.content')
    expect(refused(say('_posthog/file_change', { ...file, path: '../x' }), 'runner')).toEqual({
      code: 'request.malformed',
      field: 'params.path',
      message: 'params.path: expected no part that is . or ..',
    })
    expect(refused(say('_posthog/file_change', { ...file, action: 'moved' }), 'runner')?.field).toBe(
      'params.action',
    )
    expect(refused(say('_posthog/file_change', { ...file, hash: 'abc' }), 'runner')?.field).toBe(
      'params.hash',
    )
    expect(refused(say('_posthog/file_change', { ...file, was: {} }), 'runner')?.field).toBe(
      'params.was.mode',
    )
    expect(refused(say('_posthog/user_response', { questionId: 'qst_12345678' }), 'web')?.field).toBe(
      'params.answer',
    )
    expect(refused(say('_posthog/ack', { for: 'user_message', id: 'x' }), 'runner')?.field).toBe('params.id')
  })

  it('W10 a field that every follower of a run has to keep is refused by name when it is too long', () => {
    const text = (length: number) => 'x'.repeat(length)
    const asked = { questionId: 'qst_12345678', question: '?' }
    const ask = (params: object) => refused(say('_posthog/agent_question', { ...asked, ...params }), 'runner')
    expect(ask({ question: text(32_768), options: [text(1000)], default: text(16_000) })).toBeNull()
    expect(ask({ question: text(32_769) })?.field).toBe('params.question')
    expect(ask({ options: [text(4097)] })?.field).toBe('params.options.0')
    expect(ask({ options: [{ optionId: 'a', name: text(4097) }] })?.field).toBe('params.options.0.name')
    expect(ask({ options: [{ optionId: text(1001), name: 'a' }] })?.field).toBe('params.options.0.optionId')
    expect(ask({ options: [{ optionId: 'a', name: 'a', _meta: text(40_000) }] })?.field).toBe(
      'params.options',
    )
    expect(ask({ options: Array(101).fill('a') })?.field).toBe('params.options')
    expect(ask({ default: { form: text(17_000) } })?.field).toBe('params.default')
    expect(ask({ toolCallId: text(1001) })?.field).toBe('params.toolCallId')
    const answer = { questionId: 'qst_12345678', answer: [text(40_000)] }
    expect(refused(say('_posthog/user_response', answer), 'web')?.field).toBe('params.answer')
    const mode = { mode: 'background', policy: { allow: text(70_000) } }
    expect(refused(say('_posthog/mode_change', mode), 'web')?.field).toBe('params.policy')
    const commit = { sha: 'abcdef', branch: text(1001) }
    expect(refused(say('_posthog/git_commit', commit), 'runner')?.field).toBe('params.branch')
  })

  it('W10 a bad file among several is refused by its place', () => {
    const sync = (params: unknown) => refused(say('_posthog/file_sync', params), 'device')
    expect(sync({ files: [file, { ...file, path: 'a/.git/x' }] })?.field).toBe('params.files.1.path')
    expect(sync({ files: 7 })?.field).toBe('params.files')
    expect(sync({ files: Array(1001).fill(file) })?.field).toBe('params.files')
    expect(sync({ ...file, path: '/etc/passwd' })?.field).toBe('params.path')
    expect(sync({ ...file, hash: undefined })?.field).toBe('params.hash')
    expect(sync(file)).toBeNull()
    expect(sync({ files: [file, { path: 'b', action: 'deleted', was: null }] })).toBeNull()
  })

  it('a file needs a hash unless it was deleted', () => {
    expect(refused(say('_posthog/file_change', { path: 'a', action: 'deleted' }), 'runner')).toBeNull()
    expect(refused(say('_posthog/file_change', { path: 'a', action: 'created' }), 'runner')?.field).toBe(
      'params.hash',
    )
  })

  it('W15 a method of another role is refused for every author', () => {
    const may: [MethodName, Kind[]][] = [
      ['_posthog/user_message', ['device', 'web', 'channel']],
      ['_posthog/file_sync', ['device', 'web', 'channel']],
      ['_posthog/file_change', ['runner']],
      ['_posthog/session_start', ['hub', 'runner']],
      ['_posthog/user_response', ['device', 'web', 'channel', 'hub']],
      ['_posthog/question_closed', ['runner', 'hub']],
      ['_posthog/git_commit', ['runner', 'device']],
      ['_posthog/file_kept', ['runner', 'device', 'web', 'channel', 'hub']],
      ['_posthog/console', ['runner', 'device', 'hub']],
    ]
    for (const [name, kinds] of may) {
      for (const kind of ['runner', 'device', 'web', 'channel', 'hub'] as const) {
        const isRefused = refused(say(name, {}), kind)?.code === 'role.refused'
        expect(isRefused, `${name} from ${kind}`).toBe(!kinds.includes(kind))
      }
    }
  })

  it('W15 an undefined method passes with a leading _ and is refused without', () => {
    for (const name of ['_mine/thing', '_', '__proto__', '_posthog/of_tomorrow']) {
      for (const kind of ['runner', 'web'] as const) expect(refused(say(name, { any: 1 }), kind)).toBeNull()
    }
    for (const name of ['thing', 'constructor', 'toString', 'session/other']) {
      expect(refused(say(name), 'runner')).toMatchObject({ code: 'method.unknown', field: 'method' })
    }
  })

  it('W27 unknown params pass, and nothing is changed or added', () => {
    const params = { content: ' hello ', sessionId: 'x', later: { deep: [1] } }
    const value = say('_posthog/user_message', params)
    const before = JSON.stringify(value)
    checkNotification(value, 'web')
    expect(JSON.stringify(value)).toBe(before)
    expect(value.params).toBe(params)
  })

  it('W24 a list of blobs is a list of hashes, in every method', () => {
    expect(refused(say('tool_call', { toolCallId: 't', blobs: [sampleHash('a')] }), 'runner')).toBeNull()
    expect(refused(say('tool_call', { toolCallId: 't', blobs: ['x'] }), 'runner')?.field).toBe(
      'params.blobs.0',
    )
    expect(refused(say('_mine', { blobs: 'x' }), 'web')?.field).toBe('params.blobs')
  })

  it('W10 for any input, the answer is a Fault or nothing', () => {
    const name = fc.oneof(fc.constantFrom(...(Object.keys(methods) as MethodName[])), fc.string())
    const key = fc.constantFrom(
      'path',
      'action',
      'hash',
      'files',
      'content',
      'was',
      'id',
      'questionId',
      '__proto__',
    )
    const params = fc.oneof(fc.dictionary(key, fc.jsonValue()), fc.jsonValue())
    const kind = fc.constantFrom<Kind>('runner', 'device', 'web', 'channel', 'hub')
    fc.assert(
      fc.property(name, params, kind, (method, params, kind) => {
        refused(JSON.parse(JSON.stringify(say(method, params))), kind)
      }),
      { numRuns: 3000 },
    )
  })
})
