import { event } from '@farhand/protocol/events/event-names'

/** The end of a tool whose agent is dead. */
export const toolFailed = (toolCallId: string) =>
  event('tool_result', {
    toolCallId,
    status: 'failed',
    content: [{ type: 'content', content: { type: 'text', text: 'It was cut short: the agent died.' } }],
  })

/**
 * The end of a tool of which its agent never told any, when the turn ends: done if the agent ended the turn itself, and
 * failed if that was cut short. What was told of the tool so far stays as it is.
 */
export const toolEnd = (toolCallId: string, stopReason: string) =>
  event('tool_result', {
    toolCallId,
    status: stopReason === 'end_turn' ? 'completed' : 'failed',
    // Whoever wants to know what the agent said itself can tell by this.
    _meta: { 'farhand/endedBy': stopReason },
  })
