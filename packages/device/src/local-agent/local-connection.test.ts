import type { Notification } from '@farhand/protocol/wire/event'
import { describe, expect, it } from 'vitest'
import type { LocalConnection } from './local-connection.ts'
import { openLocalConnection, sessionId } from './local-connection-under-test.ts'

async function turn(connection: LocalConnection, prompt: string, on = (_: Notification) => {}) {
  const events: Notification[] = []
  for await (const event of connection.prompt({ sessionId, prompt })) {
    events.push(event)
    on(event)
  }
  return events
}

/** A turn that has begun and would go on for a minute. */
async function longTurn(connection: LocalConnection) {
  let events: Promise<Notification[]> | undefined
  await new Promise<void>((begun) => {
    events = turn(connection, 'think for 60 seconds', ({ method }) => {
      if (method === 'agent_thought_chunk') begun()
    })
  })
  return { events: events! }
}

describe('LocalConnection', () => {
  it('ends its agent, the turn under way and those that wait when it is closed', async () => {
    const connection = await openLocalConnection()
    let pid = 0
    await turn(connection, 'run `echo pid=$PPID`', (event) => {
      pid = Number(/pid=(\d+)/.exec(JSON.stringify(event))?.[1] ?? pid)
    })
    process.kill(pid, 0)
    const { events } = await longTurn(connection)
    const waiting = turn(connection, 'say never').catch((why: unknown) => why)
    await connection.close()
    expect((await events).at(-1)).toMatchObject({ params: { stopReason: 'cancelled' } })
    expect(await waiting).toMatchObject({ code: 'run.closed' })
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    await expect(turn(connection, 'say no')).rejects.toMatchObject({ code: 'run.closed' })
  })

  it('can be closed while its agent starts, and again', async () => {
    const connection = await openLocalConnection()
    const begun = new Promise<void>((acked) => {
      connection.onEvent(({ method }) => method === '_posthog/ack' && acked())
    })
    const events = turn(connection, 'say hello')
    await begun
    await Promise.all([connection.close(), connection.close()])
    expect((await events).at(-1)?.method).toBe('_posthog/turn_complete')
    await connection.close()
  })

  it('asks again when an answer does not fit, and takes the first that does', async () => {
    const connection = await openLocalConnection()
    const answers = ['purple', 'red']
    const events = await turn(connection, 'ask "Which?" with options red, green', ({ method, params }) => {
      if (method !== '_posthog/agent_question') return
      for (const answer of [answers.shift(), 'green'])
        void connection.answer({ sessionId, questionId: String(params?.questionId), answer })
    })
    const closed = events.filter(({ method }) => method === '_posthog/question_closed')
    expect(closed.map(({ params }) => params?.how)).toEqual(['answered', 'answered'])
    const text = events.filter(({ method }) => method === 'agent_message_chunk').at(-1)?.params?.text
    expect(text).toContain('red')
    expect(text).not.toContain('green')
  })

  it('refuses an answer to nothing that could be a question', async () => {
    const connection = await openLocalConnection()
    const refused = connection.answer({ sessionId, questionId: 'which one', answer: 'yes' })
    await expect(refused).rejects.toMatchObject({ code: 'request.malformed' })
  })

  it('says what a handler threw, and goes on for the others', async () => {
    const faults: unknown[] = []
    const connection = await openLocalConnection((error) => faults.push(error))
    const heard: string[] = []
    connection.onEvent(() => {
      throw new Error('a handler of somebody')
    })
    connection.onEvent(({ method }) => heard.push(method))
    const events = await turn(connection, 'say hello')
    expect(events.at(-1)).toMatchObject({ params: { stopReason: 'end_turn' } })
    expect(heard).toContain('_posthog/turn_complete')
    expect(faults).toHaveLength(heard.length)
  })

  it('says in an event that the agent does not take a mode', async () => {
    const connection = await openLocalConnection()
    await turn(connection, 'say hello')
    const heard: Notification[] = []
    connection.onEvent((event) => heard.push(event))
    await connection.setMode({ sessionId, mode: 'upside-down' })
    expect(heard.find(({ method }) => method === '_posthog/error')?.params?.message).toContain('upside-down')
  })
})
