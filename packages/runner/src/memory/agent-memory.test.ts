import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Line, runner, sampleLog, web } from '@farhand/protocol/events/sample-log'
import { MemoryTerms } from '@farhand/protocol/schemas/memory-terms'
import type { Notification } from '@farhand/protocol/wire/event'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Orders } from '../orders/orders.ts'
import { AgentMemory } from './agent-memory.ts'

const at = { project: 'prj_00000001', task: 'tsk_00000001', run: 'run_00000001' } as RunAddress

/** The memory of an agent that has begun a session here, after all this; what it says, and whether it asked the hub for anything. */
async function begin(lines: Line[], terms: Partial<MemoryTerms> = {}) {
  const state = mkdtempSync(join(tmpdir(), 'farhand-memory-'))
  onTestFinished(() => rmSync(state, { recursive: true, force: true }))
  const folder = join(state, 'agent')
  const orders = new Orders()
  const said: Notification[] = []
  let asked = 0
  const fetch = async () => {
    asked += 1
    throw new TypeError('nobody is there')
  }
  const memory = new AgentMemory({
    agent: 'a',
    cwd: '/workspace',
    folder,
    terms: MemoryTerms.parse(terms),
    state,
    generation: 1,
    orders,
    hub: { url: 'http://127.0.0.1:1', token: 't', fetch },
    at,
    emit: (event) => said.push(event),
    isIdle: () => true,
    signal: new AbortController().signal,
  })
  await memory.here()
  for (const event of sampleLog(...lines)) {
    orders.take(event)
    memory.take(event)
  }
  return { memory, folder, said, asked: () => asked }
}

const start = (how: string): Line => [runner, '_posthog/agent_start', { agent: 'a', sessionId: 's', how }]
const message: Line = [web, '_posthog/user_message', { content: 'x' }]
const ended = (stopReason: string): Line => [runner, '_posthog/turn_complete', { messageId: 1, stopReason }]

describe('W38 what an agent remembers', () => {
  it('is said not to travel, once, if it is too much', async () => {
    const { memory, folder, said, asked } = await begin([message, start('new'), ended('end_turn')])
    writeFileSync(join(folder, 'large'), '')
    truncateSync(join(folder, 'large'), 65 * 1024 * 1024)
    await memory.turnOver()
    await memory.saved()
    expect(said.map(({ params }) => params?.message)).toEqual([
      expect.stringContaining('is too large to be saved'),
    ])
    expect(asked()).toBe(0)
  })

  it('of one that writes late is not taken right when a turn is over, and soon after', async () => {
    for (const writesLate of [false, true]) {
      const { memory, folder, asked } = await begin([message, start('new'), ended('end_turn')], {
        writesLate,
      })
      writeFileSync(join(folder, 'session'), 'words')
      await memory.turnOver()
      // Only what was taken is sent, and that begins at once.
      expect(asked() > 0).toBe(!writesLate)
      await vi.waitFor(() => expect(asked()).toBeGreaterThan(0), { timeout: 60_000 })
    }
  })

  it('is not relied on before the agent has ended a turn of the session that it is in', async () => {
    for (const lines of [
      [message, start('new')],
      [message, start('new'), ended('cancelled')],
      [message, start('new'), ended('end_turn'), message, start('briefed'), ended('failed')],
    ]) {
      const { memory, folder, said, asked } = await begin(lines)
      writeFileSync(join(folder, 'half'), 'torn')
      await memory.saved()
      expect([said, asked()]).toEqual([[], 0])
    }
  })
})
