import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { handledBy, paramsOf, parsedWith, unparsed } from './event-handlers.ts'

const says = (method: string, params?: Record<string, unknown>) => ({
  jsonrpc: '2.0' as const,
  method,
  ...(params && { params }),
})

describe('handlers of events', () => {
  const handle = handledBy<string[], [at: number], number>({
    ack: (said, { id, into }, at) => said.push(`${id} ${into} at ${at}`),
    tool_call: (said, { toolCallId }) => said.push(toolCallId),
    console: parsedWith(z.object({ about: z.literal('cost') }), (said, { about }) => said.push(about)),
    cancel: unparsed((said, params) => said.push(JSON.stringify(params))),
  })

  it('W27 get the events of the table, and none with malformed params', () => {
    const said: string[] = []
    expect(handle(said, says('_posthog/ack', { for: 'user_message', id: 7 }), 1)).toBe(1)
    // A runner may leave the id out, and the hub puts it in: a log has none without.
    expect(handle(said, says('_posthog/ack', { for: 'user_message' }), 2)).toBeUndefined()
    expect(handle(said, says('tool_call', { toolCallId: 'one' }), 3)).toBe(2)
    expect(handle(said, says('_posthog/tool_call', { toolCallId: 'two' }), 4)).toBeUndefined()
    expect(handle(said, says('_posthog/turn_complete', { messageId: 7 }), 5)).toBeUndefined()
    expect(handle(said, says('__proto__'), 6)).toBeUndefined()
    expect(said).toEqual(['7 undefined at 1', 'one'])
  })

  it('may read the params in a way of their own, or not at all', () => {
    const said: string[] = []
    for (const params of [{ level: 'warn', message: 'x' }, { about: 'cost' }])
      handle(said, says('_posthog/console', params), 1)
    handle(said, says('_posthog/cancel', { why: 1 }), 2)
    handle(said, says('_posthog/cancel'), 3)
    expect(said).toEqual(['cost', '{"why":1}', '{}'])
  })

  it('are not needed for the params of one event', () => {
    expect(paramsOf(says('_posthog/ack', { for: 'user_message', id: 7 }), 'ack')?.id).toBe(7)
    expect(paramsOf(says('_posthog/ack', { for: 'user_message' }), 'ack')).toBeUndefined()
    expect(paramsOf(says('_posthog/cancel'), 'cancel')).toEqual({})
    expect(paramsOf(says('_posthog/cancel'), 'close')).toBeUndefined()
  })
})
