// An agent that does what a test says: its argument is a JSON object of functions by ACP method, in their own words.
import childProcess from 'node:child_process'
import fs from 'node:fs'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { runInThisContext } from 'node:vm'

/** @type {Record<string, string>} */
const script = JSON.parse(process.argv[2] ?? '{}')
/** @type {Record<string, (params: unknown) => unknown>} */
const otherwise = {
  initialize: () => ({
    protocolVersion: 1,
    agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {} } },
  }),
  'session/new': () => ({ sessionId: 'own' }),
  'session/load': () => ({}),
  'session/resume': () => ({}),
  'session/prompt': () => ({ stopReason: 'end_turn' }),
}

/** @type {Map<number, (frame: object) => void>} */
const asked = new Map()
/** @type {Map<string, (params: unknown) => void>} */
const listening = new Map()
/** @type {Map<string, unknown>} */
const told = new Map()
let nextId = 1000

const send = (/** @type {object} */ frame) => write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`)

/** All of it, before anything else happens: what waits in a stream would be lost when the process ends. */
function write(/** @type {string | Uint8Array} */ bytes) {
  const buffer = Buffer.from(bytes)
  for (let at = 0; at < buffer.length; ) {
    try {
      at += fs.writeSync(1, buffer, at)
    } catch (error) {
      const { code } = /** @type {NodeJS.ErrnoException} */ (error)
      // The host has gone; an agent need not care.
      if (code === 'EPIPE') return
      if (code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}

const hands = {
  childProcess,
  fs,
  process,
  /** Anything on standard output. */
  write,
  send,
  notify: (/** @type {string} */ method, /** @type {object} */ params) => send({ method, params }),
  update: (/** @type {object} */ update, sessionId = 'own') =>
    send({ method: 'session/update', params: { sessionId, update } }),
  say: (/** @type {string} */ text) =>
    hands.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }),
  /** Resolves with the whole answer. */
  ask: (/** @type {string} */ method, /** @type {object} */ params, id = nextId++) =>
    new Promise((resolve) => {
      asked.set(id, resolve)
      send({ id, method, params })
    }),
  /** Resolves when this notification comes, or has come. */
  heard: (/** @type {string} */ method) =>
    new Promise((resolve) => {
      if (told.has(method)) resolve(told.get(method))
      else listening.set(method, resolve)
    }),
}

const scripted = (/** @type {string} */ method) =>
  method in script ? runInThisContext(`(${script[method]})`) : otherwise[method]

/** @typedef {{ id?: number, method?: string, params?: unknown, result?: unknown, error?: unknown }} Frame */

async function take(/** @type {Frame} */ { id, method, params, result, error }) {
  if (method === undefined) return asked.get(Number(id))?.({ id, result, error })
  if (id === undefined) {
    told.set(method, params)
    listening.get(method)?.(params)
    return
  }
  const act = scripted(method)
  if (!act) return send({ id, error: { code: -32601, message: `no ${method}` } })
  try {
    const made = await act(hands, params)
    if (made !== undefined) send({ id, result: made })
  } catch (reason) {
    send({ id, error: reason })
  }
}

await scripted('begin')?.(hands)
const lines = createInterface({ input: process.stdin })
lines.on('line', (line) => void take(JSON.parse(line)))
