// An agent that plays what is written down for each message, so that pictures show work and not a rehearsal of it.
// It speaks ACP in plain lines: node played-agent.mjs <file with the scenes>
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'

const scenes = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))
const sessionId = 'played'
let cwd = '.'
let nextId = 1
const answers = new Map()

const send = (/** @type {object} */ message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const ask = (/** @type {string} */ method, /** @type {object} */ params) => {
  const id = nextId++
  send({ id, method, params: { sessionId, ...params } })
  return new Promise((resolve) => answers.set(id, resolve))
}

async function play(/** @type {any} */ step) {
  if (step.is === 'update') send({ method: 'session/update', params: { sessionId, update: step.update } })
  if (step.is === 'write') {
    const file = join(cwd, step.path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, step.encoding ? Buffer.from(step.text, step.encoding) : step.text)
  }
  if (step.is === 'ask') await ask(step.method, step.params)
  if (step.is === 'pause') await new Promise((resolve) => setTimeout(resolve, step.ms))
  if (step.is === 'fail') throw new Error(step.words)
  if (step.is === 'stay') await new Promise(() => {})
}

/** @type {Record<string, (params: any) => unknown>} */
const replies = {
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: scenes.agent, title: scenes.agent, version: '1.0.0' },
    agentCapabilities: { promptCapabilities: { image: true } },
    authMethods: [],
  }),
  'session/new': (params) => {
    cwd = params.cwd
    return { sessionId, ...scenes.offers }
  },
  'session/prompt': async ({ prompt }) => {
    const said = prompt.map((/** @type {{ text?: string }} */ part) => part.text ?? '').join('')
    const scene = scenes.turns.find((/** @type {{ message: string }} */ one) => said.includes(one.message))
    for (const step of scene?.steps ?? []) await play(step)
    return { stopReason: 'end_turn', ...(scene?.usage && { usage: scene.usage }) }
  },
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params, result } = JSON.parse(line)
  if (method === undefined) return answers.get(id)?.(result)
  if (method === 'session/cancel') process.exit(0)
  if (id === undefined) return
  try {
    const reply = replies[method]
    if (reply) send({ id, result: await reply(params) })
    else send({ id, error: { code: -32601, message: `${method} is not played` } })
  } catch (error) {
    send({ id, error: { code: -32603, message: /** @type {Error} */ (error).message } })
  }
})
