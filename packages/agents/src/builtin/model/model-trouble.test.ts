import { describe, expect, it } from 'vitest'
import { type Failure, failureOf, modelTrouble } from './model-trouble.ts'

const now = Date.parse('2026-11-16T03:00:00Z')
const tiny = { name: 'tiny', keyIn: 'TINY_KEY' }
const trouble = (failure: Partial<Failure>) =>
  modelTrouble({ status: null, headers: {}, message: 'no', body: '', ...failure }, tiny, now)

describe('trouble with a model', () => {
  it.each([
    [{ 'retry-after': '12' }, '', 12_000],
    [{ 'retry-after-ms': '1500', 'retry-after': '2' }, '', 1_500],
    [{ 'retry-after': 'Mon, 16 Nov 2026 03:00:20 GMT' }, '', 20_000],
    [{ 'retry-after': 'Mon, 16 Nov 2026 02:00:00 GMT' }, '', 30_000],
    [{}, '{"details":[{"retryDelay": "34.5s"}]}', 34_500],
    [{}, '', 30_000],
  ])('that is temporary says how long to wait: %o %s', (headers, body, retryAfterMs) => {
    expect(trouble({ status: 429, headers, body })).toMatchObject({ is: 'busy', status: 429, retryAfterMs })
  })

  it('is an overload also when it comes in the middle of a stream', () => {
    expect(trouble({ status: 529 })).toMatchObject({ is: 'busy', status: 529 })
    const failure = failureOf({ type: 'overloaded_error', message: 'Overloaded' })
    expect(trouble(failure)).toMatchObject({ is: 'busy', status: 529 })
  })

  it('does not pass by waiting when the account is empty, though the provider says 429', () => {
    const said = trouble({ status: 429, body: '{"error":{"code":"insufficient_quota"}}' })
    expect(said).toMatchObject({ is: 'lasting', message: expect.stringContaining('no credit') })
  })

  it.each([
    [{ status: 401 }, 'check TINY_KEY'],
    [{ status: 403 }, 'key'],
    [{ status: 400, body: 'API key not valid. Please pass a valid API key.' }, 'key'],
    [{ status: 404 }, 'FARHAND_MODEL'],
    [{ status: 422, message: 'first line\nsecond' }, 'first line'],
    [{ message: 'something odd' }, 'something odd'],
  ])('that lasts is reported with what to do: %o', (failure, words) => {
    expect(trouble(failure)).toMatchObject({ is: 'lasting', message: expect.stringContaining(words) })
    expect(trouble(failure).message).not.toContain('second')
  })

  it.each([
    'prompt is too long: 210000 tokens > 200000 maximum',
    "This model's maximum context length is 8192 tokens",
    'The input token count (2000000) exceeds the maximum number of tokens allowed',
  ])('is a matter of length when the provider says so: %s', (message) => {
    expect(trouble({ status: 400, message })).toMatchObject({ is: 'too-long' })
  })

  it('is temporary when the provider or the network fails', () => {
    expect(trouble({ status: 503 })).toMatchObject({ is: 'passing' })
    const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' })
    const failure = failureOf(new TypeError('fetch failed', { cause }))
    expect(failure.message).toContain('ECONNREFUSED')
    expect(trouble(failure)).toMatchObject({ is: 'passing' })
    const brokenOff = { statusCode: 200, message: 'Failed to process', cause: new Error('terminated') }
    expect(trouble(failureOf(brokenOff))).toMatchObject({ is: 'passing' })
  })
})
