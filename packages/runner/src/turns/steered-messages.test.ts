import type { ContentBlock } from '@agentclientprotocol/sdk'
import { type Line, runner, sampleLog, web } from '@farhand/protocol/events/sample-log'
import type { Notification } from '@farhand/protocol/wire/event'
import { describe, expect, it } from 'vitest'
import type { Agent } from '../agent/agent.ts'
import { Orders } from '../orders/orders.ts'
import { SteeredMessages } from './steered-messages.ts'

const message = (content: string): Line => [web, '_posthog/user_message', { content, when: 'steer' }]
const ack = (id: number, into?: number): Line => [
  runner,
  '_posthog/ack',
  { for: 'user_message', id, ...(into && { into }) },
]
const withdrawn = (messageId: number): Line => [web, '_posthog/message_edit', { messageId, content: null }]

/** The turn of the first message, in which what `beforeAck` says comes into the log before the next ack. */
function turnOfFirst(
  lines: Line[],
  beforeAck: Line[] = [],
  ready: (content: string) => Promise<string> = async (content) => content,
) {
  const orders = new Orders()
  const log: Line[] = []
  const append = (...more: Line[]) => {
    log.push(...more)
    for (const event of sampleLog(...log).slice(-more.length)) orders.take(event)
  }
  append(message('first'), ack(1), ...lines)
  const acked: unknown[] = []
  const said = new SteeredMessages(
    {
      orders,
      mark: async ({ params }: Notification) => {
        append(...beforeAck.splice(0), [runner, '_posthog/ack', { ...params }])
        acked.push(params)
      },
      blocks: async ({ content }) => [{ type: 'text', text: await ready(content) }],
    },
    1,
  )
  const told: string[] = []
  const agent = (isTaken: boolean) => {
    const steer = async (blocks: readonly ContentBlock[]) => {
      told.push(...texts(blocks))
      return isTaken
    }
    return { steer } as Partial<Agent> as Agent
  }
  return { said, acked, told, agent }
}
const texts = (blocks: readonly ContentBlock[]) => blocks.map((block) => ('text' in block ? block.text : ''))
const ends = (said: SteeredMessages) => said.ends({ stopReason: 'end_turn' })

describe('what is said into a turn', () => {
  it('W29 is acked with the turn that it joins, told in its order, and ends with the turn', async () => {
    const { said, acked, told, agent } = turnOfFirst([message('second'), message('third')])
    said.join(3, agent(true), () => true)
    said.join(4, agent(true), () => true)
    expect([said.has(3), said.has(4), said.has(5)]).toEqual([true, true, false])
    await said.settled()
    expect(acked).toEqual([3, 4].map((id) => ({ for: 'user_message', id, into: 1 })))
    expect(told).toEqual(['second', 'third'])
    expect(await said.untold()).toEqual([])
    expect(ends(said)).toEqual([3, 4].map((messageId) => ({ messageId, stopReason: 'end_turn', into: 1 })))
  })

  it('is no part of it if it was taken back before the ack', async () => {
    const { said, told, agent } = turnOfFirst([message('second')], [withdrawn(3)])
    said.join(3, agent(true), () => true)
    await said.settled()
    expect([told, await said.untold(), ends(said), said.has(3)]).toEqual([[], [], [], false])
  })

  it.each([
    ['the agent does not take it', false, true],
    ['the agent has stopped meanwhile', true, false],
  ])(
    'goes on without the turn if %s, unless the turn goes on and it is told then',
    async (_, isTaken, goesOn) => {
      const { said, agent } = turnOfFirst([message('second')])
      said.join(3, agent(isTaken), () => goesOn)
      await said.settled()
      expect(ends(said)).toEqual([])
      expect(texts(await said.untold())).toEqual(['second'])
      expect(await said.untold()).toEqual([])
      expect(ends(said)).toHaveLength(1)
    },
  )

  it('goes on without the turn if what is attached to it cannot be had, and the others are told all the same', async () => {
    const ready = async (content: string) => {
      if (content === 'second') throw new Error('the hub is away')
      return content
    }
    const { said, told, agent } = turnOfFirst([message('second'), message('third')], [], ready)
    said.join(3, agent(true), () => true)
    said.join(4, agent(true), () => true)
    await said.settled()
    expect(told).toEqual(['third'])
    expect(ends(said)).toMatchObject([{ messageId: 4 }])
  })

  it('does not keep the turn from ending while what is attached to it is on its way', async () => {
    const { said, told, agent } = turnOfFirst([message('second')], [], () => new Promise(() => {}))
    said.join(3, agent(true), () => true)
    said.over()
    await said.settled()
    expect([told, ends(said)]).toEqual([[], []])
  })

  it('W29 is taken on and told again with its turn after an agent died, also that of another runner', async () => {
    const { said, acked, agent } = turnOfFirst([message('second'), message('third'), ack(3, 1)])
    said.join(4, agent(true), () => true)
    await said.takeOnAgain()
    expect(acked).toMatchObject([4, 3, 4].map((id) => ({ id, into: 1 })))
    expect(texts(await said.untold())).toEqual(['second', 'third'])
    expect(ends(said)).toHaveLength(2)
  })
})
