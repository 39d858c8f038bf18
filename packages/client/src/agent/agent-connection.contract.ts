import { describe, expect, it } from 'vitest'
import type { AcpMessage, AgentConnection } from './agent-connection.ts'

/** A connection to the rehearsal agent, which does what it is told in plain sentences. */
export type ConnectionUnderTest = {
  connection: AgentConnection
  sessionId: string
  /** As a person who answers a question of the agent. */
  answer: (questionId: string, answer: unknown) => Promise<unknown>
}

const methodsOf = (events: readonly AcpMessage[]) => events.map(({ method }) => method)

const textOf = (events: readonly AcpMessage[]) =>
  events
    .filter(({ method }) => method === 'agent_message_chunk')
    .map(({ params }) => params?.text)
    .join('')

/** What every connection to an agent promises, on any machine that the agent runs on. */
export function agentConnectionContract(name: string, open: () => Promise<ConnectionUnderTest>): void {
  async function opened() {
    const { connection, sessionId, answer } = await open()
    const prompt = (words: string) => connection.prompt({ sessionId, prompt: words })
    /** The whole turn; `on` is called for each of its events. */
    const turn = async (words: string, on: (event: AcpMessage) => unknown = () => {}) => {
      const events: AcpMessage[] = []
      for await (const event of prompt(words)) {
        events.push(event)
        await on(event)
      }
      return events
    }
    const answerAll = (given: unknown) => async (event: AcpMessage) => {
      if (event.method === '_posthog/agent_question') await answer(String(event.params?.questionId), given)
    }
    return { connection, sessionId, answer, prompt, turn, answerAll, ...listening(connection) }
  }

  describe(`${name} as a connection to an agent`, () => {
    it('gives what the agent says to a prompt, between the ack of it and its end', async () => {
      const { turn } = await opened()
      const events = await turn('say hello there')
      const [first, last] = [events[0], events.at(-1)]
      expect(first?.method).toBe('_posthog/ack')
      expect(last).toMatchObject({
        method: '_posthog/turn_complete',
        params: { messageId: first?.params?.id, stopReason: 'end_turn' },
      })
      expect(methodsOf(events).filter((method) => /ack$|turn_complete$/.test(method))).toHaveLength(2)
      expect(textOf(events)).toContain('hello there')
    })

    it('works on a second prompt when the first is over, and gives each its own events', async () => {
      const { turn, answer, heard, until } = await opened()
      const one = turn('ask "Go on?" with options yes, no\nsay first')
      const question = await until(({ method }) => method === '_posthog/agent_question')
      const two = turn('say second')
      await until(({ params }) => params?.content === 'say second')
      await answer(String(question.params?.questionId), 'yes')
      expect(textOf(await one)).toContain('first')
      expect(textOf(await one)).not.toContain('second')
      expect(textOf(await two)).toContain('second')
      expect(textOf(await two)).not.toContain('first')
      const end = (await two).at(-1)
      await until(({ params }) => params?.messageId === end?.params?.messageId)
      const marks = heard.filter(({ method }) => /ack$|turn_complete$/.test(method))
      expect(methodsOf(marks)).toEqual([
        '_posthog/ack',
        '_posthog/turn_complete',
        '_posthog/ack',
        '_posthog/turn_complete',
      ])
    })

    it('ends a turn that is cancelled, and works on the next prompt', async () => {
      const { connection, sessionId, turn } = await opened()
      let isCancelled = false
      const events = await turn('think for 60 seconds', async ({ method }) => {
        if (isCancelled || method !== 'agent_thought_chunk') return
        isCancelled = true
        await connection.cancel({ sessionId })
      })
      expect(events.at(-1)).toMatchObject({ params: { stopReason: 'cancelled' } })
      expect(textOf(await turn('say next'))).toContain('next')
    })

    it('gives the answer to a question to the agent that asked', async () => {
      const { turn, answerAll } = await opened()
      const events = await turn('ask "Which color?" with options red, green', answerAll('green'))
      expect(textOf(events)).toContain('green')
      expect(events.find(({ method }) => method === '_posthog/question_closed')?.params).toMatchObject({
        how: 'answered',
      })
    })

    it('sets a mode of the agent’s own', async () => {
      const { connection, sessionId, turn, answerAll } = await opened()
      expect(methodsOf(await turn('write a.txt with one'))).not.toContain('_posthog/agent_question')
      await connection.setMode({ sessionId, mode: 'careful' })
      const events = await turn('write a.txt with two', answerAll('yes'))
      expect(methodsOf(events)).toContain('_posthog/agent_question')
    })

    it('sets a mode before the agent has begun', async () => {
      const { connection, sessionId, turn, answerAll } = await opened()
      await connection.setMode({ sessionId, mode: 'careful' })
      const events = await turn('write a.txt with one', answerAll('yes'))
      expect(methodsOf(events)).toContain('_posthog/agent_question')
    })

    it('does not tell the agent whether a user is watching', async () => {
      const { connection, sessionId, until, turn } = await opened()
      await connection.setMode({ sessionId, mode: 'background' })
      const change = await until(({ method }) => method === '_posthog/mode_change')
      expect(change.params).toMatchObject({ mode: 'background' })
      expect(methodsOf(await turn('say hello'))).not.toContain('_posthog/error')
    })

    it('gives every handler each event once and in order, until it is removed', async () => {
      const { connection, turn, heard, until } = await opened()
      const others: AcpMessage[] = []
      const stop = connection.onEvent((event) => others.push(event))
      const first = await turn('say 20 chunks of 10 bytes')
      await until(({ params }) => params?.messageId === first.at(-1)?.params?.messageId)
      const from = heard.findIndex(({ method }) => method === '_posthog/ack')
      expect(heard.slice(from, from + first.length)).toEqual(first)
      expect(others).toEqual(heard)
      stop()
      stop()
      const told = others.length
      const second = await turn('say more')
      await until(({ params }) => params?.messageId === second.at(-1)?.params?.messageId)
      expect(others).toHaveLength(told)
    })

    it('goes on with a turn that the caller does not read to its end', async () => {
      const { prompt, turn, until } = await opened()
      let id: unknown
      for await (const { params } of prompt('say 20 chunks of 10 bytes\nsay unread')) {
        id = params?.id
        break
      }
      expect(textOf(await turn('say next'))).toBe('next')
      const end = await until(({ params }) => params?.messageId === id)
      expect(end.params).toMatchObject({ stopReason: 'end_turn' })
    })

    it('W29 calls a turn interrupted if the agent dies of it, and works on the next prompt', async () => {
      const { turn } = await opened()
      await turn('remember colour is green')
      const events = await turn('say before\ncrash')
      expect(events.at(-1)).toMatchObject({ params: { stopReason: 'interrupted' } })
      expect(textOf(await turn('recall colour'))).toContain('green')
    })

    it('refuses to speak for another session', async () => {
      const { connection, turn } = await opened()
      const sessionId = 'run_another01'
      const mismatch = { code: 'session.mismatch' }
      const read = async () => {
        for await (const _ of connection.prompt({ sessionId, prompt: 'say no' })) break
      }
      await expect(read()).rejects.toMatchObject(mismatch)
      await expect(connection.cancel({ sessionId })).rejects.toMatchObject(mismatch)
      await expect(connection.setMode({ sessionId, mode: 'careful' })).rejects.toMatchObject(mismatch)
      expect(textOf(await turn('say yes'))).toContain('yes')
    })

    it('refuses a prompt that says nothing', async () => {
      const { turn } = await opened()
      await expect(turn(' \n')).rejects.toMatchObject({ code: 'request.malformed' })
    })
  })
}

/** Hears everything from now on. */
function listening(connection: AgentConnection) {
  const heard: AcpMessage[] = []
  let wake = () => {}
  connection.onEvent((event) => {
    heard.push(event)
    wake()
  })
  /** The first event that is like this, of those that came and those to come. */
  const until = async (isLike: (event: AcpMessage) => boolean): Promise<AcpMessage> => {
    for (;;) {
      const found = heard.find(isLike)
      if (found) return found
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  return { heard, until }
}
