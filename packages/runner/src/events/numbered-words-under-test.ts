import type { Notification } from '@farhand/protocol/wire/event'
import type { Dice } from '@farhand/testkit/dice'

const event = (method: string, params: Record<string, unknown>): Notification => ({
  jsonrpc: '2.0',
  method,
  params,
})

/** Something of any kind that a runner says, which has this number in it. */
export function saying(n: number, dice: Dice): Notification {
  const roll = dice.next()
  if (roll < 0.8) {
    const messageId = `m${Math.floor(n / 40)}`
    return event('agent_message_chunk', { text: `${n};`, messageId })
  }
  if (roll < 0.9) return event('_test/event', { n })
  // No hub takes this one.
  if (roll < 0.95) return event('tool_call', { n, toolCallId: 7 })
  const text = `${n} `.repeat(60_000)
  return event('tool_result', { toolCallId: `t${n}`, n, rawOutput: { text, n } })
}

/** The numbers in what was said, in order, even if it was joined or cut on its way. */
export function numbersIn({ method, params = {} }: Notification): number[] {
  if (method === 'agent_message_chunk') return String(params.text).split(';').slice(0, -1).map(Number)
  if (method === '_posthog/error') {
    const { said } = params.error as { said: string }
    return numbersIn(JSON.parse(said))
  }
  return typeof params.n === 'number' ? [params.n] : []
}
