import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { onLoopback } from '../on-loopback.ts'
import { type Answer, answerOf } from './answer-of.ts'
import type { Conversation } from './conversation.ts'
import type { Dialect } from './dialect.ts'
import { giveAnswer, giveJson } from './give-answer.ts'
import { dialectFor, isStream, lookup } from './llm-routes.ts'

/** A request to the model; `conversation` is null for one that is no turn of a model. */
export type LlmRequest = {
  method: string
  path: string
  body: unknown
  dialect: string | null
  conversation: Conversation | null
  answer: Answer | null
  /** How it ended: with a whole answer, or because the agent had heard enough. */
  over: Promise<'answered' | 'hung up'>
}

export type ScriptedLlm = {
  /** Without a path: what comes behind it depends on the dialect. */
  url: string
  requests: readonly LlmRequest[]
  /** The first request that fits, as soon as it is there; of those to come too. */
  request(fits: (request: LlmRequest) => boolean): Promise<LlmRequest>
  close(): Promise<void>
}

export type LlmScript = (conversation: Conversation, triesBefore: number) => Answer

/**
 * A model on loopback that speaks four dialects and does what the last words of the user say, in the small language of
 * `stepsOf`; or what another script says.
 */
export async function scriptedLlm(script: LlmScript = answerOf): Promise<ScriptedLlm> {
  const requests: LlmRequest[] = []
  const waiting: { fits: (request: LlmRequest) => boolean; resolve: (request: LlmRequest) => void }[] = []
  const tries = new Map<string, number>()

  const server = createServer((incoming, response) => {
    response.on('error', () => {})
    bodyOf(incoming)
      .then((body) => take(incoming, body, response))
      .catch((error) => giveJson(response, 400, { error: { message: String(error) } }))
  })

  function take(incoming: IncomingMessage, body: unknown, response: ServerResponse): void {
    const { pathname: path } = new URL(incoming.url ?? '/', 'http://llm')
    const method = incoming.method ?? ''
    const dialect = method === 'POST' ? dialectFor(path) : null
    const turn = dialect && turnOf(dialect, body, path)
    const over = once(response, 'close').then(() => (response.writableFinished ? 'answered' : 'hung up'))
    const request: LlmRequest = {
      method,
      path,
      body,
      dialect: dialect?.name ?? null,
      conversation: turn?.conversation ?? null,
      answer: turn?.answer ?? null,
      over,
    }
    requests.push(request)
    if (dialect && turn?.answer) giveAnswer(response, dialect, turn.answer, isStream(path, body))
    else {
      const found = lookup(path)
      giveJson(response, found ? 200 : 404, found ?? { error: { message: `nothing at ${path}` } })
    }
    for (const { fits, resolve } of waiting) if (fits(request)) resolve(request)
  }

  function turnOf(
    dialect: Dialect,
    body: unknown,
    path: string,
  ): Pick<LlmRequest, 'conversation' | 'answer'> {
    const read = readOrNot(dialect, body, path)
    if ('trouble' in read)
      return { conversation: null, answer: { kind: 'refused', status: 400, message: read.trouble } }
    const { userText, results, tools, form } = read
    const same = JSON.stringify([userText, results, tools.length, form])
    const triesBefore = tries.get(same) ?? 0
    tries.set(same, triesBefore + 1)
    return { conversation: read, answer: script(read, triesBefore) }
  }

  return {
    ...(await onLoopback(server)),
    requests,
    request: (fits) =>
      new Promise((resolve) => {
        const there = requests.find(fits)
        if (there) resolve(there)
        else waiting.push({ fits, resolve })
      }),
  }
}

function readOrNot(dialect: Dialect, body: unknown, path: string): Conversation | { trouble: string } {
  try {
    return dialect.read(body, path)
  } catch (error) {
    // A test sees it in the list of requests, and the agent says it in its own words.
    return { trouble: `cannot be read: ${String(error)}` }
  }
}

async function bodyOf(incoming: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = []
  for await (const piece of incoming) pieces.push(piece)
  const text = Buffer.concat(pieces).toString()
  return text === '' ? null : JSON.parse(text)
}
