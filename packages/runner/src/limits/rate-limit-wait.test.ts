import { describe, expect, it } from 'vitest'
import { rateLimitWait } from './rate-limit-wait.ts'

const now = Date.UTC(2026, 10, 16, 3, 0, 0)
const after = (error: unknown, waited = 0, limits = {}) => rateLimitWait(error, waited, limits, now)
const rpc = (message: string, data?: unknown, code = -32603) => ({ code, message, data })
const waits = (seconds: number) => ({ waitMs: seconds * 1000 })

describe('a rate limit', () => {
  it('is told from other errors', () => {
    for (const error of [
      rpc('Internal error'),
      rpc('ENOENT: no such file, code 2'),
      rpc('Invalid API key', { status: 401 }),
      rpc('expected 429 lines but got 430'),
      new Error('fetch failed'),
      null,
      undefined,
      7,
      '',
    ])
      expect(after(error), JSON.stringify(error)).toBeNull()
  })

  it('is known in each shape in which agents pass it on', () => {
    for (const error of [
      rpc('x', undefined, 429),
      rpc('Rate limit reached for gpt-5'),
      rpc('Internal error', { details: '429 Too Many Requests' }),
      rpc('API Error', { status: 429 }),
      rpc('{"type":"error","error":{"type":"rate_limit_error"}}'),
      rpc('Internal error', { details: '{\\"type\\":\\"overloaded_error\\"}' }),
      rpc('got status: 429. {"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}'),
      new Error('You have exceeded your current quota'),
      'unexpected status 429: slow down',
    ])
      expect(after(error), JSON.stringify(error)).toEqual(waits(5))
  })

  it('is waited for as long as the provider says', () => {
    const cases: [string, number][] = [
      ['Rate limit: try again in 20s', 20],
      ['Rate limit reached. Please try again in 1m30s. Visit us', 90],
      ['Rate limit reached. Please try again in 7.66s.', 7.66],
      ['Rate limit. Try again in 2 minutes', 120],
      ['rate limit exceeded, resets in 4 minutes and 10 seconds', 250],
      ['Too many requests, retry after 30', 30],
      ['Too many requests, retry after 30 seconds', 30],
      ['rate limit: please wait 45 seconds before', 45],
      ['Rate limit. Try again in 500ms', 1],
      ['{"error":{"status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"34s"}]}}', 34],
      ['Rate limit, resets at 2026-11-16T03:05:00Z', 300],
      ['Rate limit, resets at 2026-11-16 03:05 UTC', 300],
      ['Rate limit, resets at 2026-11-16T04:05:00+01:00', 300],
      [`Claude AI usage limit reached|${now / 1000 + 60}`, 60],
    ]
    for (const [message, seconds] of cases) expect(after(rpc(message)), message).toEqual(waits(seconds))
  })

  it('is waited for as long as its headers say, in whichever case and shape', () => {
    const cases: [unknown, number][] = [
      [{ 'retry-after': '20' }, 20],
      [{ 'Retry-After': 20 }, 20],
      [{ retryAfter: 20 }, 20],
      [{ retry_after_seconds: 20 }, 20],
      [{ 'retry-after-ms': '1500' }, 1.5],
      [{ retryAfterMs: 2500 }, 2.5],
      [{ 'retry-after': 'Mon, 16 Nov 2026 03:01:40 GMT' }, 100],
      [{ 'x-ratelimit-reset': String(now / 1000 + 30) }, 30],
      [{ 'x-ratelimit-reset': now + 30_000 }, 30],
    ]
    for (const [headers, seconds] of cases) {
      expect(after(rpc('slow down', { headers }, 429)), JSON.stringify(headers)).toEqual(waits(seconds))
    }
  })

  it('is not waited for by a time that is over, or that has no place', () => {
    for (const message of [
      'Rate limit, resets at 2026-11-16T02:00:00Z',
      'Rate limit, resets at 5pm',
      `usage limit reached|${now / 1000 - 60}`,
      'Rate limit, resets at 2026-11-16T05:00:00',
    ])
      expect(after(rpc(message)), message).toEqual(waits(5))
  })

  it('is waited for twice as long each time, if the model does not say how long it takes', () => {
    const error = rpc('rate limit')
    expect([0, 5000, 10_000, 20_000].map((waited) => after(error, waited))).toEqual([5, 5, 10, 20].map(waits))
  })

  it('is never tried again at once', () => {
    expect(after(rpc('rate limit, try again in 0s'))).toEqual(waits(1))
    expect(after(rpc('x', { headers: { 'retry-after': 'Mon, 16 Nov 2026 02:00:00 GMT' } }, 429))).toEqual(
      waits(1),
    )
  })

  it('is asked about when that is longer than the user allows in one turn', () => {
    const error = rpc('rate limit, try again in 60s')
    expect(after(error, 0, { rateLimitSeconds: 60 })).toEqual(waits(60))
    expect(after(error, 1, { rateLimitSeconds: 60 })).toBe('ask')
    expect(after(error, 0, { rateLimitSeconds: 0 })).toBe('ask')
    expect(after(error, 540_000)).toEqual(waits(60))
    expect(after(error, 540_001)).toBe('ask')
    expect(after(rpc('rate limit, resets in 3 hours'))).toBe('ask')
    expect(after(rpc('rate limit, resets in 3 hours'), 0, { rateLimitSeconds: null })).toEqual(waits(10_800))
  })

  it('is asked about at once when no waiting helps', () => {
    expect(after(rpc('429 insufficient_quota: check your plan and billing details'))).toBe('ask')
    const gemini =
      'You exceeded your current quota, please check your plan and billing details. "retryDelay": "34s"'
    expect(after(rpc(gemini))).toEqual(waits(34))
  })

  it('is found without taking long, however long the error is', () => {
    expect(after(rpc(`rate limit ${'retry after after '.repeat(100_000)}`))).toEqual(waits(5))
    const round: { message: string; itself?: unknown } = { message: 'x' }
    round.itself = round
    expect(after(round)).toBeNull()
  })
})
