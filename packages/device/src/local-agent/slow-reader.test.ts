import type { Notification } from '@farhand/protocol/wire/event'
import { type Script, scripted } from '@farhand/runner/agent/agent-under-test'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LocalConnection } from './local-connection.ts'

const much: Script = {
  'session/prompt': ({ say }) => {
    for (let said = 0; said < 100; said += 1) say('x'.repeat(100_000))
    return { stopReason: 'end_turn' }
  },
}

let count = 0

/** A turn in which the agent says a hundred things, and how many of them have been heard. */
function begun() {
  count += 1
  const sessionId = `slow ${process.pid} ${count}`
  const onFault = (error: unknown) => {
    throw error
  }
  const connection = new LocalConnection({
    sessionId,
    agent: { id: 'a', command: scripted(much) },
    mostUnreadBytes: 1_000_000,
    onFault,
  })
  onTestFinished(() => connection.close())
  const heard: Notification[] = []
  connection.onEvent((event) => event.method === 'agent_message_chunk' && heard.push(event))
  return { connection, heard, events: connection.prompt({ sessionId, prompt: 'go' }) }
}

async function all(events: AsyncIterable<Notification>): Promise<number> {
  let chunks = 0
  for await (const { method } of events) if (method === 'agent_message_chunk') chunks += 1
  return chunks
}

describe('an agent whose events are not read', () => {
  it('waits until they are read, and none is lost', async () => {
    const slow = begun()
    await slow.events.next()
    // By the time this one is done, the other would be as well.
    expect(await all(begun().events)).toBe(100)
    expect(slow.heard.length).toBeLessThan(30)
    expect(await all(slow.events)).toBe(100)
  })

  it('can be closed, and goes on if its reader has left', async () => {
    const [left, closed] = [begun(), begun()]
    await Promise.all([left.events.next(), closed.events.next()])
    expect(await all(begun().events)).toBe(100)
    await closed.connection.close()
    const over = new Promise<void>((resolve) => {
      left.connection.onEvent(({ method }) => method === '_posthog/turn_complete' && resolve())
    })
    await left.events.return()
    await over
    expect(left.heard).toHaveLength(100)
  })
})
