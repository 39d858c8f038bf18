import { Fault } from '@farhand/protocol/wire/faults'
import { describe, expect, it } from 'vitest'
import { readRefusal } from './read-answer.ts'
import { isPassing, Unreachable } from './refusal.ts'

const answer = (status: number, code: string, remedy: string, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify({ error: { code, message: 'as said', remedy } }), { status, headers })

describe('a refusal', () => {
  it('W3 is a fault with the code, the status and the remedy that the hub sent', async () => {
    const refusal = await readRefusal(answer(404, 'run.closed', 'fix-request'))
    expect(refusal).toBeInstanceOf(Fault)
    expect(refusal).toMatchObject({
      code: 'run.closed',
      saidCode: 'run.closed',
      status: 404,
      remedy: 'fix-request',
    })
  })

  it('W3 keeps a code that only a newer hub knows, and stands for it with a known one of the same remedy', async () => {
    const refusal = await readRefusal(answer(403, 'quota.spent', 'sign-in'))
    expect(refusal).toMatchObject({
      saidCode: 'quota.spent',
      code: 'token.invalid',
      status: 403,
      remedy: 'sign-in',
    })
    expect(await readRefusal(answer(426, 'client.too-old', 'upgrade'))).toMatchObject({
      saidCode: 'client.too-old',
      status: 426,
      remedy: 'upgrade',
    })
  })

  it('is not fooled by a code that is also the name of a property of every object', async () => {
    expect(await readRefusal(answer(400, 'toString', 'fix-request'))).toMatchObject({
      code: 'request.malformed',
    })
  })

  it.each([0, 302, 400, 401, 403, 404, 502, 504])(
    'is none if a %i has not the form of a hub’s answer: another server answered',
    async (status) => {
      // A browser answers 0 for a redirect that it may not follow.
      const response =
        status === 0 ? Response.error() : new Response('<html>', { status, headers: { 'retry-after': '3' } })
      const trouble = await readRefusal(response)
      expect(trouble).toBeInstanceOf(Unreachable)
      expect(trouble).toMatchObject({ status, retryAfterMs: status === 0 ? 0 : 3000 })
      expect(isPassing(trouble)).toBe(true)
    },
  )

  it('is none if it is a redirect, even with the body of a refusal', async () => {
    expect(await readRefusal(answer(302, 'run.unknown', 'give-up'))).toBeInstanceOf(Unreachable)
  })

  it('says where a redirect leads', async () => {
    const headers = { location: 'https://hub.example/' }
    expect((await readRefusal(new Response('', { status: 301, headers }))).message).toContain(
      'https://hub.example/',
    )
  })

  it('is temporary if its remedy is to retry', async () => {
    const passing = async (status: number) => isPassing(await readRefusal(answer(status, 'x.y', 'retry')))
    for (const status of [500, 502, 503, 504, 408, 429]) expect(await passing(status)).toBe(true)
    for (const status of [400, 401, 403, 404, 405, 409, 413]) expect(await passing(status)).toBe(false)
    expect(isPassing(new Unreachable('gone'))).toBe(true)
    expect(isPassing(new TypeError('a mistake of ours'))).toBe(false)
  })

  it.each([
    ['7', 7000],
    ['99999999999', 300_000],
    ['Infinity', 300_000],
    ['-5', 0],
    ['Fri, 31 Dec 1999 23:59:59 GMT', 0],
    ['soon', 0],
  ])(
    'that asks to come back after "%s" makes no client wait longer than five minutes',
    async (retryAfter, ms) => {
      const refusal = await readRefusal(answer(503, 'storage.full', 'retry', { 'retry-after': retryAfter }))
      expect(refusal.retryAfterMs).toBe(ms)
    },
  )
})
