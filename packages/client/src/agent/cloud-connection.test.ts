import {
  endFrame,
  json,
  liveFrame,
  type Reply,
  refuse,
  scriptedHub,
  someRun,
  stream,
} from '@farhand/testkit/scripted-hub'
import { afterEach, describe, expect, it } from 'vitest'
import { CloudConnection, type CloudConnectionOptions } from './cloud-connection.ts'

const session = { sessionId: someRun.run }
const frame = (id: number, method: string, params: object = {}) =>
  `id: ${id}\ndata: ${JSON.stringify({ jsonrpc: '2.0', method, params })}\n\n`
const posted = json(202, { lastEventId: 10, ids: [10] })
const statusAt = (lastEventId: number) =>
  json(200, {
    status: 'active',
    sandboxHealthy: false,
    lastEventId,
    agentStatus: 'idle',
    pendingQuestion: null,
    pendingQuestions: [],
    lastCommit: null,
    mode: 'interactive',
  })
const sent = (body: Buffer) => JSON.parse(body.toString())

let close: () => Promise<void> = async () => {}
afterEach(() => close())

async function connected(options: Partial<CloudConnectionOptions>, ...replies: [Reply, ...Reply[]]) {
  const hub = await scriptedHub(...replies)
  const controller = new AbortController()
  const { signal } = controller
  close = () => {
    controller.abort()
    return hub.close()
  }
  const backoff = { firstMs: 2, maxMs: 8 }
  const onFault = (error: unknown) => {
    throw error
  }
  return {
    hub,
    connection: new CloudConnection({ url: hub.url }, someRun, { signal, backoff, onFault, ...options }),
  }
}

async function methods(turn: AsyncIterable<{ method: string }>) {
  const seen: string[] = []
  for await (const { method } of turn) seen.push(method)
  return seen
}

describe('CloudConnection', () => {
  it('gives the events of its own turn, from the ack to its end, and nothing of the turn before', async () => {
    const { hub, connection } = await connected(
      {},
      posted,
      stream([
        frame(11, 'agent_message_chunk', { text: 'still the turn before' }),
        frame(12, '_posthog/turn_complete', { messageId: 4, stopReason: 'end_turn' }),
        frame(13, '_posthog/ack', { for: '_posthog/user_message', id: 10 }),
        frame(14, 'agent_message_chunk', { text: 'hello' }),
        frame(15, '_posthog/turn_complete', { messageId: 10, stopReason: 'end_turn' }),
        frame(16, 'agent_message_chunk', { text: 'the turn after' }),
      ]),
    )
    expect(await methods(connection.prompt({ ...session, prompt: 'hi' }))).toEqual([
      '_posthog/ack',
      'agent_message_chunk',
      '_posthog/turn_complete',
    ])
    expect(sent(hub.requests[0]!.body)).toMatchObject({
      method: '_posthog/user_message',
      params: { content: 'hi' },
    })
    expect(hub.requests[1]?.headers['last-event-id']).toBe('10')
  })

  it('gives each event of a turn once when the connection breaks within it', async () => {
    const { connection } = await connected(
      {},
      posted,
      stream([frame(11, '_posthog/ack', { id: 10 })], (response) => void response.end()),
      stream([frame(12, 'tool_call'), frame(13, '_posthog/turn_complete', { messageId: 10 })]),
    )
    expect(await methods(connection.prompt({ ...session, prompt: 'hi' }))).toEqual([
      '_posthog/ack',
      'tool_call',
      '_posthog/turn_complete',
    ])
  })

  it('gives nothing of a message that was withdrawn before its turn', async () => {
    const withdrawal = frame(11, '_posthog/message_edit', { messageId: 10, content: null })
    const { connection } = await connected({}, posted, stream([withdrawal]))
    expect(await methods(connection.prompt({ ...session, prompt: 'hi' }))).toEqual([])
  })

  it('W9 sends a message again under the key it is given', async () => {
    const { hub, connection } = await connected(
      {},
      posted,
      stream([frame(11, '_posthog/turn_complete', { messageId: 10 })]),
    )
    await methods(connection.prompt({ ...session, prompt: 'hi', key: 'mine' }))
    expect(hub.requests[0]?.headers['idempotency-key']).toBe('mine')
  })

  it('says so when the run is closed before the turn is complete', async () => {
    const { connection } = await connected(
      {},
      posted,
      stream([frame(11, '_posthog/ack', { id: 10 }), endFrame]),
    )
    await expect(methods(connection.prompt({ ...session, prompt: 'hi' }))).rejects.toMatchObject({
      code: 'run.closed',
    })
  })

  it('cancels, and sets modes of the run and of the agent', async () => {
    const { hub, connection } = await connected({}, posted)
    await connection.cancel(session)
    await connection.setMode({ ...session, mode: 'background' })
    await connection.setMode({ ...session, mode: 'plan' })
    expect(hub.requests.map(({ body }) => sent(body))).toEqual([
      { jsonrpc: '2.0', method: '_posthog/cancel', params: {} },
      { jsonrpc: '2.0', method: '_posthog/mode_change', params: { mode: 'background' } },
      { jsonrpc: '2.0', method: 'session/set_mode', params: { modeId: 'plan' } },
    ])
  })

  it('W13 refuses to speak for another session', async () => {
    const { hub, connection } = await connected({}, posted)
    await expect(connection.cancel({ sessionId: 'run_another01' })).rejects.toMatchObject({
      code: 'session.mismatch',
    })
    expect(hub.requests).toEqual([])
  })

  it('gives every handler the events from now on, over one connection, until the last handler is removed', async () => {
    let write = (_: string) => {}
    const { hub, connection } = await connected({}, statusAt(10), (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(liveFrame(10))
      write = (text) => void response.write(text)
    })
    const heard: string[] = []
    const next = () => new Promise<string>((resolve) => connection.onEvent(({ method }) => resolve(method)))
    const stop = connection.onEvent(({ method }) => heard.push(method))
    const first = next()
    await hub.request(2)
    write(frame(11, 'tool_call'))
    expect(await first).toBe('tool_call')
    stop()
    const second = next()
    write(frame(12, 'tool_result'))
    expect(await second).toBe('tool_result')
    expect(heard).toEqual(['tool_call'])
    expect(hub.requests).toHaveLength(2)
    expect(hub.requests[1]?.headers['last-event-id']).toBe('10')
  })

  it('sends nothing before it knows from which event to read, so that it reads its own messages', async () => {
    const sentBefore: string[] = []
    const { hub, connection } = await connected({}, async (response, request) => {
      if (request.method === 'POST') return posted(response, request)
      if (!request.path.endsWith('/status')) return stream([frame(10, '_posthog/cancel')])(response, request)
      await new Promise((resolve) => setTimeout(resolve, 50))
      sentBefore.push(...hub.requests.map(({ method }) => method))
      return statusAt(9)(response, request)
    })
    const heard = new Promise((resolve) => connection.onEvent(({ method }) => resolve(method)))
    await connection.cancel(session)
    expect(sentBefore).toEqual(['GET'])
    expect(await heard).toBe('_posthog/cancel')
  })

  it('sends also if all listeners have stopped before it knew from which event to read', async () => {
    const { hub, connection } = await connected({}, (response, request) =>
      request.method === 'POST' ? posted(response, request) : undefined,
    )
    const stop = connection.onEvent(() => {})
    const cancelling = connection.cancel(session)
    await hub.request(1)
    stop()
    await cancelling
  })

  it('reports that a handler threw, and calls the others', async () => {
    const faults: unknown[] = []
    const { connection } = await connected(
      { onFault: (error) => faults.push(error) },
      statusAt(10),
      stream([frame(11, 'tool_call'), frame(12, 'tool_result')]),
    )
    connection.onEvent(({ method }) => {
      throw new Error(`no idea what ${method} is`)
    })
    const heard: string[] = []
    await new Promise<void>((resolve) =>
      connection.onEvent(({ method }) => {
        heard.push(method)
        if (method === 'tool_result') resolve()
      }),
    )
    expect(heard).toEqual(['tool_call', 'tool_result'])
    expect(faults.map(String)).toEqual([
      'Error: no idea what tool_call is',
      'Error: no idea what tool_result is',
    ])
  })

  it('W12 hears a closed run again when a user opens it', async () => {
    const { hub, connection } = await connected(
      {},
      statusAt(10),
      stream([frame(11, '_posthog/session_close'), endFrame]),
      stream([endFrame]),
      stream([frame(12, '_posthog/status')]),
    )
    await new Promise<void>((resolve) =>
      connection.onEvent(({ method }) => {
        if (method === '_posthog/status') resolve()
      }),
    )
    expect(hub.requests.slice(1).map(({ headers }) => headers['last-event-id'])).toEqual(['10', '11', '11'])
  })

  it('reports when it cannot read any more', async () => {
    const fault = new Promise((resolve) => {
      connected({ onFault: resolve }, refuse(401, 'token.invalid', 'sign-in')).then(({ connection }) => {
        connection.onEvent(() => {})
      })
    })
    expect(await fault).toMatchObject({ code: 'token.invalid' })
  })
})
