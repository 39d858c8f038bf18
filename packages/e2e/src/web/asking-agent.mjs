// An agent that asks what its prompt is, an elicitation in JSON, and says what it was answered, in JSON too.
import process from 'node:process'
import { createInterface } from 'node:readline'

const sessionId = 'asking'
/** @type {Map<number, (answer: unknown) => void>} */
const waiting = new Map()

const send = (/** @type {object} */ message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

const ask = (/** @type {object} */ params) => {
  const id = waiting.size + 1
  send({ id, method: 'elicitation/create', params: { mode: 'form', sessionId, ...params } })
  return new Promise((resolve) => waiting.set(id, resolve))
}

/** @type {Record<string, (params: { prompt: { text?: string }[] }) => unknown>} */
const replies = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {}, authMethods: [] }),
  'session/new': () => ({ sessionId }),
  'session/prompt': async ({ prompt }) => {
    const text = prompt.map((block) => block.text ?? '').find((one) => one.startsWith('{')) ?? '{}'
    const answer = JSON.stringify(await ask(JSON.parse(text)))
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `\`${answer}\`` } }
    send({ method: 'session/update', params: { sessionId, update } })
    return { stopReason: 'end_turn' }
  },
}

createInterface({ input: process.stdin }).on('line', async (said) => {
  const { id, method, params, result } = JSON.parse(said)
  if (method === undefined) return waiting.get(id)?.(result)
  if (id === undefined) return
  const reply = replies[method]
  if (reply) send({ id, result: await reply(params) })
  else send({ id, error: { code: -32601, message: 'not known here' } })
})
