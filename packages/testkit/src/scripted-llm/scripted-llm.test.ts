import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ScriptedLlm, scriptedLlm } from './scripted-llm.ts'

const schema = { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] }
const bash = { name: 'bash', description: 'runs a command' }

/** How each dialect asks, and where its answers have their words and calls. */
const dialects = [
  {
    name: 'openai-chat',
    path: () => '/v1/chat/completions',
    body: (text: string, stream: boolean) => ({
      model: 'm',
      stream,
      messages: [{ role: 'user', content: text }],
      tools: [{ type: 'function', function: { ...bash, parameters: schema } }],
    }),
    streamed: /"content":"(\w+ ?)"/g,
  },
  {
    name: 'openai-responses',
    path: () => '/v1/responses',
    body: (text: string, stream: boolean) => ({
      model: 'm',
      stream,
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }],
      tools: [{ type: 'function', ...bash, parameters: schema }],
    }),
    streamed: /"delta":"(\w+ ?)"/g,
  },
  {
    name: 'anthropic',
    path: () => '/v1/messages',
    body: (text: string, stream: boolean) => ({
      model: 'm',
      stream,
      messages: [{ role: 'user', content: [{ type: 'text', text }] }],
      tools: [{ ...bash, input_schema: schema }],
    }),
    streamed: /"text":"(\w+ ?)"/g,
  },
  {
    name: 'gemini',
    path: (stream: boolean) => `/v1beta/models/m:${stream ? 'streamGenerateContent' : 'generateContent'}`,
    body: (text: string) => ({
      contents: [{ role: 'user', parts: [{ text }] }],
      tools: [{ functionDeclarations: [{ ...bash, parametersJsonSchema: schema }] }],
    }),
    streamed: /"text":"(\w+ ?)"/g,
  },
]

let llm: ScriptedLlm
beforeEach(async () => {
  llm = await scriptedLlm()
})
afterEach(() => llm.close())

const post = (path: string, body: unknown, signal: AbortSignal | null = null) =>
  fetch(llm.url + path, { method: 'POST', body: JSON.stringify(body), signal })

describe.each(dialects)(
  'a scripted model that is asked in the words of $name',
  ({ name, path, body, streamed }) => {
    const ask = (text: string, stream: boolean, signal?: AbortSignal) =>
      post(path(stream), body(text, stream), signal)

    it('answers at once or word by word, as it is asked', async () => {
      expect(await (await ask('say: good morning', false)).text()).toContain('"good morning"')
      const stream = await ask('say: good morning', true)
      expect(stream.headers.get('content-type')).toBe('text/event-stream')
      const words = [...(await stream.text()).matchAll(streamed)].map(([, word]) => word)
      expect(words).toEqual(['good ', 'morning'])
    })

    it.each([false, true])('calls a tool by its name and with its fields (streamed: %s)', async (stream) => {
      const answer = await (await ask('run: ls', stream)).text()
      expect(answer).toMatch(/"name":"bash"/)
      expect(answer.replaceAll('\\', '')).toContain('{"command":"ls"}')
    })

    it('refuses with the status it is told, and says why', async () => {
      const answer = await ask('fail with 503', true)
      expect(answer.status).toBe(503)
      expect(await answer.text()).toContain('refused with 503 as scripted')
    })

    it('counts how often it was asked the same', async () => {
      expect((await ask('rate limit once', true)).status).toBe(429)
      expect((await ask('rate limit once', true)).status).toBe(200)
    })

    it('goes on without an end, and knows who hung up', async () => {
      const { signal, abort } = stopper()
      const answer = await ask('stream slowly', true, signal)
      const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
      for (let heard = ''; !heard.includes('word 2'); ) heard += (await reader.read()).value
      abort()
      await reader.closed.catch(() => {})
      const request = await llm.request((request) => request.answer?.kind === 'endless')
      expect(await request.over).toBe('hung up')
      expect(request).toMatchObject({ dialect: name, conversation: { userText: 'stream slowly' } })
    })
  },
)

describe('a scripted model', () => {
  it('remembers what it was asked, a request that is still to come too', async () => {
    const coming = llm.request(({ conversation }) => conversation?.userText === 'say: two')
    for (const text of ['say: one', 'say: two'])
      await post('/v1/chat/completions', dialects[0]!.body(text, false))
    expect((await coming).conversation?.tools.map(({ name }) => name)).toEqual(['bash'])
    expect(await (await coming).over).toBe('answered')
    expect(llm.requests).toHaveLength(2)
  })

  it('does nothing of what an agent was given to look at beside the words of a person, and knows of it', async () => {
    const [said, heading, note] = [
      'recall: the colour',
      '\n--- Content from referenced context ---',
      'The colour is red',
    ]
    const parts = [said, heading, '\nContent from @farhand:files-changed:\n', `${note}\n\nsay: no`]
    const tools = [{ functionDeclarations: [{ ...bash, parametersJsonSchema: schema }] }]
    const contents = [{ role: 'user', parts: parts.map((text) => ({ text })) }]
    const answer = await post('/v1beta/models/m:generateContent', { contents, tools })
    expect(await answer.text()).toContain('"text":"red"')
  })

  it.each(['/v1/models', '/v1/models/m', '/v1/messages/count_tokens', '/v1beta/models/m:countTokens'])(
    'knows %s, which agents look up',
    async (path) => {
      const method = path.includes('ount') ? 'POST' : 'GET'
      expect((await fetch(llm.url + path, { method })).status).toBe(200)
    },
  )

  it('says what it cannot read, and what it does not have', async () => {
    expect((await post('/v1/messages', { messages: 'none' })).status).toBe(400)
    expect((await fetch(`${llm.url}/v1/nothing`)).status).toBe(404)
    expect(llm.requests.map(({ path }) => path)).toEqual(['/v1/messages', '/v1/nothing'])
  })
})

function stopper() {
  const stop = new AbortController()
  return { signal: stop.signal, abort: () => stop.abort() }
}
