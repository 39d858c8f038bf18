import { Fault } from '@farhand/protocol/faults'
import { describe, expect, it } from 'vitest'
import { isPassing, readRefusal, Unreachable } from './refusal.ts'

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

  it('can be an answer of whatever stands between here and the hub', async () => {
    const refusal = await readRefusal(
      new Response('<html>', { status: 504, headers: { 'retry-after': '3' } }),
    )
    expect(refusal).toMatchObject({ saidCode: 'http.504', code: 'hub.failed', status: 504, remedy: 'retry' })
    expect(refusal.retryAfterMs).toBe(3000)
  })

  it('passes by itself if it is of the kind that does', async () => {
    const passing = async (status: number) => isPassing(await readRefusal(new Response('', { status })))
    for (const status of [500, 502, 503, 504, 408, 429]) expect(await passing(status)).toBe(true)
    for (const status of [400, 401, 403, 404, 405, 409, 413, 302]) expect(await passing(status)).toBe(false)
    expect(isPassing(new Unreachable('gone'))).toBe(true)
    expect(isPassing(new TypeError('a mistake of ours'))).toBe(false)
  })
})
