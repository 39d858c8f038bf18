import { describe, expect, it } from 'vitest'
import { type Line, runner, sampleHash, sampleLog, web } from '../events/sample-log.ts'
import { AgentMemories } from './agent-memories.ts'

const message: Line = [web, '_posthog/user_message', { content: 'x' }]
const memory = (upTo: number | undefined, agent = 'a'): Line => [
  runner,
  '_posthog/agent_memory',
  { agent, sessionId: `${agent}${upTo}`, files: sampleHash('a'), blobs: [sampleHash('b')], upTo },
]
const rewind = (to: number): Line => [web, '_posthog/rewind', { to }]

function newest(lines: Line[], agent = 'a') {
  const memories = new AgentMemories()
  for (const event of sampleLog(...lines)) memories.take(event)
  return memories.newest(agent)
}

describe('W38 the memory of an agent that counts', () => {
  it('is the newest of that agent', () => {
    expect(newest([message])).toBeNull()
    const lines = [message, memory(1), message, memory(3), memory(4, 'b')]
    expect(newest(lines)).toMatchObject({ id: 4, upTo: 3, blobs: [sampleHash('a'), sampleHash('b')] })
    expect(newest(lines, 'b')?.id).toBe(5)
    expect(newest(lines, 'c')).toBeNull()
  })

  it('knows what was there when it was told, if it does not say what it knows', () => {
    expect(newest([message, memory(undefined)])?.upTo).toBe(2)
  })

  it('W39 is the newest up to where the conversation was put back, also if a later one was told only after that', () => {
    const lines = [message, memory(1), message, memory(3), rewind(2)]
    expect(newest(lines)?.id).toBe(2)
    expect(newest([...lines, memory(4)])?.id).toBe(2)
    expect(newest([...lines, message, memory(6)])?.id).toBe(7)
    expect(newest([message, memory(1), rewind(1), message, memory(4), rewind(2)])?.id).toBe(2)
  })

  it('W39 comes back when the putting back is undone', () => {
    const lines = [message, memory(1), message, memory(3), rewind(2), message]
    expect(newest([...lines, rewind(4)])?.id).toBe(4)
  })
})
