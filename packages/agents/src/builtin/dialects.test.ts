import { readFileSync } from 'node:fs'
import path from 'node:path'
import { scriptedLlm } from '@farhand/testkit/scripted-llm/scripted-llm'
import { describe, expect, it, onTestFinished } from 'vitest'
import { builtinHere, builtinProcess } from './builtin-under-test.ts'

const dialects = [
  ['anthropic', (url: string) => ({ ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: url })],
  ['openai-chat', (url: string) => ({ OPENAI_API_KEY: 'key', OPENAI_BASE_URL: url })],
  ['gemini', (url: string) => ({ GEMINI_API_KEY: 'key', GOOGLE_GEMINI_BASE_URL: url })],
  ['openai-chat', (url: string) => ({ FARHAND_MODEL_URL: `${url}/v1` })],
  [
    'openai-responses',
    (url: string) => {
      insteadOf('https://api.openai.com', url)
      return { OPENAI_API_KEY: 'key' }
    },
  ],
] as const

/** Sends to another place what goes to the provider itself, until the test is over. */
function insteadOf(there: string, here: string): void {
  const { fetch } = globalThis
  globalThis.fetch = (to, how) => fetch(String(to).replace(there, here), how)
  onTestFinished(() => {
    globalThis.fetch = fetch
  })
}

describe.each(dialects)('in the dialect %s', (name, environment) => {
  it('the built-in agent writes a file, runs a command and reports the result', async () => {
    const llm = await scriptedLlm()
    onTestFinished(() => llm.close())
    const builtin = await builtinHere(environment(llm.url))
    const { stopReason } = await builtin.prompt('write a.txt: hello\nrun: cat a.txt')
    expect(stopReason).toBe('end_turn')
    expect(readFileSync(path.join(builtin.cwd, 'a.txt'), 'utf8')).toBe('hello\n')
    expect(builtin.asked.map(({ toolCall }) => toolCall.title)).toEqual(['Write a.txt', 'cat a.txt'])
    expect(builtin.words).toMatch(/The tool said: .*hello/)
    expect(builtin.of('usage_update').at(-1)?.used).toBeGreaterThan(0)
    expect(new Set(llm.requests.flatMap(({ dialect }) => dialect ?? []))).toEqual(new Set([name]))
  })

  it('the built-in agent is cancelled while the model streams, and closes that connection', async () => {
    const llm = await scriptedLlm()
    onTestFinished(() => llm.close())
    const builtin = await builtinHere(environment(llm.url))
    const turn = builtin.prompt('stream slowly')
    await builtin.until(() => builtin.words !== '')
    await builtin.cancel()
    expect((await turn).stopReason).toBe('cancelled')
    expect(await llm.requests.at(-1)?.over).toBe('hung up')
  })

  it('the built-in agent reports how long a rate limit lasts', async () => {
    const llm = await scriptedLlm()
    onTestFinished(() => llm.close())
    const builtin = await builtinHere(environment(llm.url))
    await expect(builtin.prompt('rate limit')).rejects.toMatchObject({
      code: 429,
      data: { retryAfterMs: expect.any(Number) },
    })
  })
})

it('standard output has only the protocol, even if a library prints warnings', async () => {
  const llm = await scriptedLlm()
  onTestFinished(() => llm.close())
  // For this one the library warns of signatures that the script does not give.
  const builtin = await builtinProcess({ GEMINI_API_KEY: 'key', GOOGLE_GEMINI_BASE_URL: llm.url })
  let output = ''
  builtin.child.stdout.on('data', (bytes) => {
    output += bytes
  })
  expect((await builtin.prompt('write a.txt: hello')).stopReason).toBe('end_turn')
  const lines = output.trim().split('\n')
  expect(lines.length).toBeGreaterThan(5)
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
})
