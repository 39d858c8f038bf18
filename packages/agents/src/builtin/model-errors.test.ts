import { describe, expect, it } from 'vitest'
import { builtinHere } from './builtin-under-test.ts'
import { modelUnderTest, type Reply } from './model-under-test.ts'

const withReplies = async (...replies: Reply[]) => {
  const model = await modelUnderTest(replies)
  return { model, builtin: await builtinHere({ FARHAND_MODEL_URL: model.url }) }
}
const error = (message: string) => ({ error: { message } })

describe('an error of the model', () => {
  it('is reported with the time to wait when it names one, and the same prompt goes on from there', async () => {
    const { builtin, model } = await withReplies(
      { calls: [{ name: 'list', input: {} }] },
      { status: 429, headers: { 'retry-after': '7' }, body: error('slow down') },
      { says: ['Done.'] },
    )
    await expect(builtin.prompt('go')).rejects.toMatchObject({ code: 429, data: { retryAfterMs: 7000 } })
    expect((await builtin.prompt('go')).stopReason).toBe('end_turn')
    expect(model.requests[2]?.messages).toEqual(model.requests[1]?.messages)
    await builtin.prompt('go')
    expect(model.requests[3]?.messages.filter(({ role }) => role === 'user')).toHaveLength(2)
  })

  it('is reported with what to do when the key is refused', async () => {
    const { builtin, model } = await withReplies({ status: 401, body: error('bad key') })
    await expect(builtin.prompt('go')).rejects.toMatchObject({
      code: -32603,
      message: expect.stringMatching(/The key for tiny was refused; check FARHAND_MODEL_KEY: .*bad key/),
    })
    expect(model.requests).toHaveLength(1)
  })

  it('names the variable of the key also when the server does not even list its models', async () => {
    const { url } = await modelUnderTest([], 401)
    const told = async (env: object) =>
      (await builtinHere({ FARHAND_MODEL_URL: url, ...env }))
        .prompt('go')
        .catch((error: Error) => error.message)
    expect(await told({})).toMatch(/wants a key: set FARHAND_MODEL_KEY/)
    expect(await told({ FARHAND_MODEL_KEY: 'k' })).toMatch(/refused the key in FARHAND_MODEL_KEY/)
  })

  it('does not ask for a sign-in when an address is wrong', async () => {
    await expect(builtinHere({ FARHAND_MODEL_URL: 'localhost:11434' })).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining('FARHAND_MODEL_URL is not an address'),
    })
  })

  it('is not shown when the provider fails only once', async () => {
    const { builtin } = await withReplies({ status: 500, body: error('oops') }, { says: ['Here.'] })
    expect((await builtin.prompt('go')).stopReason).toBe('end_turn')
    expect(builtin.words).toBe('Here.')
  })

  it('does not repeat text: what was streamed before the connection broke stays', async () => {
    const { builtin, model } = await withReplies({ says: ['One, '], breaks: true }, { says: ['two.'] })
    await expect(builtin.prompt('count')).rejects.toMatchObject({ code: -32603 })
    expect(model.requests).toHaveLength(1)
    expect((await builtin.prompt('go on')).stopReason).toBe('end_turn')
    expect(builtin.words).toBe('One, two.')
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
    ])
  })

  it('ends a tool call that was begun in an answer that broke off', async () => {
    const { builtin } = await withReplies(
      { says: [], breaks: true, begins: 'read' },
      { calls: [{ id: 'again', name: 'list', input: {} }] },
      { says: ['Done.'] },
    )
    expect((await builtin.prompt('go')).stopReason).toBe('end_turn')
    expect(builtin.ends).toEqual({ begun: 'failed', again: 'completed' })
  })

  it('shortens the conversation when the model says that it is too long', async () => {
    const { builtin, model } = await withReplies(
      ...Array.from({ length: 4 }, () => ({
        calls: [{ name: 'shell', input: { command: 'seq 1 1500 | sed s/$/$RANDOM/' } }],
      })),
      { status: 400, body: error('maximum context length is 8 tokens') },
      { says: ['Done.'] },
    )
    expect((await builtin.prompt('go')).stopReason).toBe('end_turn')
    const sizes = model.requests.map(({ messages }) => JSON.stringify(messages).length)
    expect(sizes[5]).toBeLessThan((sizes[4] ?? 0) * 0.8)
  })

  it('is reported when the model answers with nothing', async () => {
    const { builtin } = await withReplies({})
    await expect(builtin.prompt('go')).rejects.toMatchObject({
      message: expect.stringMatching('with nothing'),
    })
  })

  it('says that no server answers at the address of the model', async () => {
    const builtin = await builtinHere({ FARHAND_MODEL_URL: 'http://127.0.0.1:1/v1' })
    await expect(builtin.prompt('go')).rejects.toMatchObject({
      message: expect.stringMatching(/127\.0\.0\.1:1.*Is the server running/),
    })
  })
})
