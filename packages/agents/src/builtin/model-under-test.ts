import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export type ChatRequest = {
  messages: { role: string; content: unknown; tool_calls?: unknown; tool_call_id?: string }[]
  tools: { function: { name: string } }[]
}

/** What the model says to a request, in the pieces it comes in. */
export type Reply =
  | {
      thinks?: string
      says?: string[]
      calls?: { id?: string; name: string; input: unknown }[]
      finish?: string
      /** Waited for between what it says and its end. */
      until?: Promise<unknown>
    }
  | { status: number; headers?: Record<string, string>; body: unknown }
  /** Says this and then nothing more, without an end. */
  | { says: string[]; hangs: true }
  /** Says this, perhaps begins a call, and the connection is gone. */
  | { says: string[]; breaks: true; begins?: string }

/** A server that answers each chat completion with the next reply, and has kept what it was asked. */
export async function modelUnderTest(replies: readonly Reply[], listStatus = 200) {
  const requests: ChatRequest[] = []
  let hangUps = 0
  const server = createServer(async (request, response) => {
    if (request.method === 'GET')
      return void response.writeHead(listStatus).end(JSON.stringify({ data: [{ id: 'tiny' }] }))
    let body = ''
    for await (const part of request.setEncoding('utf8')) body += part
    response.on('close', () => {
      if (!response.writableFinished) hangUps += 1
    })
    requests.push(JSON.parse(body))
    await give(replies[requests.length - 1] ?? { says: ['There is no more.'] }, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return { url, requests, hangUps: () => hangUps }
}

async function give(reply: Reply, response: ServerResponse): Promise<void> {
  if ('status' in reply) {
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
    return void response.end(JSON.stringify(reply.body))
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (delta: object, rest: object = {}) =>
    response.write(`data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta, ...rest }] })}\n\n`)
  if ('thinks' in reply) send({ reasoning_content: reply.thinks })
  for (const content of reply.says ?? []) send({ role: 'assistant', content })
  if ('hangs' in reply) return
  if ('breaks' in reply) {
    const begun = {
      index: 0,
      id: 'begun',
      type: 'function',
      function: { name: reply.begins, arguments: '{' },
    }
    if (reply.begins) send({ tool_calls: [begun] })
    return void response.write(': the end\n\n', () => response.destroy())
  }
  await reply.until
  const calls = reply.calls ?? []
  calls.forEach(({ id, name, input }, index) => {
    const called = { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) }
    send({ tool_calls: [{ index, id: id ?? `call_${index}`, type: 'function', function: called }] })
  })
  send({}, { finish_reason: reply.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop') })
  const usage = { prompt_tokens: 1000, completion_tokens: 20, total_tokens: 1020 }
  response.end(`data: ${JSON.stringify({ id: 'x', choices: [], usage })}\n\ndata: [DONE]\n\n`)
}
