import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { AgentRefused } from './agent.ts'
import { JsonRpcLines } from './json-rpc-lines.ts'

function setUp(most?: number) {
  const input = new PassThrough()
  const output = new PassThrough({ encoding: 'utf8' })
  const heard: string[] = []
  const peer: JsonRpcLines = new JsonRpcLines(
    input,
    output,
    {
      notified: (method) => heard.push(method),
      requested: (id, method) => {
        heard.push(`${method}?`)
        peer.answer(id, { result: `${method}!` })
      },
      unknown: (line) => heard.push(`unknown: ${line}`),
    },
    most,
  )
  const said = (...frames: object[]) => {
    input.write(frames.map((frame) => `${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`).join(''))
  }
  /** Everything it has written so far. */
  const written = () => {
    const text = output.read() as string | null
    return (text ?? '').split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as object]))
  }
  return { peer, input, heard, said, written }
}

describe('JsonRpcLines', () => {
  it('matches answers to requests in any order', async () => {
    const { peer, said, written } = setUp()
    const first = peer.request('first', { a: 1 })
    const second = peer.request('second', {})
    expect(written()).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'first', params: { a: 1 } },
      { jsonrpc: '2.0', id: 2, method: 'second', params: {} },
    ])
    said({ id: 2, result: 'two' }, { id: 1, result: 'one' })
    expect(await Promise.all([first, second])).toEqual(['one', 'two'])
  })

  it('lets the caller of a request go on before messages that came after its answer', async () => {
    const { peer, heard, said } = setUp()
    const asked = peer.request('ask', {}).then(async () => {
      // A caller is seldom the first to await.
      await null
      await null
      heard.push('answered')
    })
    said({ method: 'before' }, { id: 1, result: null }, { method: 'after' }, { method: 'later' })
    await asked
    await setImmediate()
    await setImmediate()
    expect(heard).toEqual(['before', 'answered', 'after', 'later'])
  })

  it('keeps an error whole: code, message and data', async () => {
    const { peer, said } = setUp()
    const asked = peer.request('ask', {})
    said({ id: 1, error: { code: 400, message: 'model overloaded', data: { retry: 5 } } })
    await expect(asked).rejects.toSatisfy(
      (error) =>
        error instanceof AgentRefused &&
        error.code === 400 &&
        error.message === 'model overloaded' &&
        (error.data as { retry: number }).retry === 5,
    )
  })

  it('accepts an error that is not of the form that JSON-RPC wants', async () => {
    const { peer, said } = setUp()
    const asked = peer.request('ask', {})
    said({ id: 1, error: 'no' })
    await expect(asked).rejects.toMatchObject({ code: -32603, message: '"no"' })
  })

  it('goes on after a line that is not JSON, not JSON-RPC, or answers no request', async () => {
    const { input, heard, said, peer } = setUp()
    input.write('Welcome to Agent 3000!\r\n\n  \n{"half": \n[1,2]\nnull\n7\n"id"\n')
    said({ id: 99, result: 'to nobody' }, { id: null, error: { code: -32700, message: 'parse error' } })
    const asked = peer.request('ask', {})
    said({ id: 1, result: 'fine' })
    expect(await asked).toBe('fine')
    expect(heard.map((line) => line.slice(0, 20))).toEqual([
      'unknown: Welcome to ',
      'unknown: {"half": ',
      'unknown: [1,2]',
      'unknown: null',
      'unknown: 7',
      'unknown: "id"',
      'unknown: {"jsonrpc":',
      'unknown: {"jsonrpc":',
    ])
  })

  it('keeps only the beginning of an unknown line', () => {
    const { input, heard } = setUp()
    input.write(`${'x'.repeat(100_000)}\n`)
    expect(heard[0]?.length).toBeLessThan(5000)
  })

  it.each([
    ['before its result', (big: string) => `{"jsonrpc":"2.0","id":1,"result":"${big}"}`],
    ['after its result', (big: string) => `{"result":{"id":5,"text":"${big}"},"id":1,"jsonrpc":"2.0"}`],
  ])('refuses one request whose answer is too large, with its id %s, and goes on', async (_, frame) => {
    const { peer, input, said } = setUp(100_000)
    const [large, small] = [peer.request('large', {}), peer.request('small', {})]
    input.write(`${frame('x'.repeat(200_000))}\n`)
    said({ id: 2, result: 'small' })
    await expect(large).rejects.toThrow(/a line of 2000\d\d bytes is more than is read/)
    expect(await small).toBe('small')
  })

  it('answers a request that is too large with an error, and passes over such a notification', () => {
    const { said, written, heard } = setUp(100_000)
    const big = 'x'.repeat(200_000)
    said({ method: 'note', params: { id: 4, big } }, { id: 'q1', method: 'ask', params: { big } })
    expect(written()).toMatchObject([{ id: 'q1', error: { code: -32600 } }])
    expect(heard).toHaveLength(2)
  })

  it('reads nothing while it is paused, not even lines that have arrived', async () => {
    const { peer, input, heard, said } = setUp()
    peer.pauseReading()
    said({ method: 'one' }, { method: 'two' })
    await setImmediate()
    expect(heard).toEqual([])
    expect(input.isPaused()).toBe(true)
    peer.resumeReading()
    await setImmediate()
    expect(heard).toEqual(['one', 'two'])
  })

  it('stops at once when the handler of a line pauses it', async () => {
    const input = new PassThrough()
    const heard: string[] = []
    const peer: JsonRpcLines = new JsonRpcLines(input, new PassThrough(), {
      notified: (method) => {
        heard.push(method)
        peer.pauseReading()
      },
      requested: () => {},
      unknown: () => {},
    })
    input.write('{"method":"one"}\n{"method":"two"}\n{"method":"three"}\n')
    expect(heard).toEqual(['one'])
    peer.resumeReading()
    expect(heard).toEqual(['one', 'two'])
    input.end()
    peer.resumeReading()
    peer.resumeReading()
    await peer.drained
    expect(heard).toEqual(['one', 'two', 'three'])
  })

  it('has read everything, the last line without an end too, when it is drained', async () => {
    const { peer, input, heard, said } = setUp()
    const asked = peer.request('ask', {})
    said({ id: 1, result: 'one' }, { method: 'two' })
    input.end('{"method":"three"}')
    await peer.drained
    expect(await asked).toBe('one')
    expect(heard).toEqual(['two', 'three'])
  })

  it('survives a line that is too long and whose ends are not JSON', () => {
    const { input, heard } = setUp(100)
    const long = 'x'.repeat(20_000)
    for (const head of ['{"id":007,', '{"method":"a\tb",', '{"id":1,"id":-,'])
      input.write(`${head}"params":"${long}"}\n`)
    input.write('{"method":"after"}\n')
    expect(heard).toHaveLength(4)
    expect(heard.at(-1)).toBe('after')
  })

  it('tells callers that wait, and later ones, why there is no answer', async () => {
    const { peer } = setUp()
    const waiting = peer.request('ask', {})
    peer.close(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    await expect(peer.request('ask', {})).rejects.toThrow('gone')
  })
})
