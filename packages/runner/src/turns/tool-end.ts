import { event } from '@farhand/protocol/events/event-names'

/** Ends a tool whose agent has died. */
export const toolFailed = (toolCallId: string) =>
  event('tool_result', {
    toolCallId,
    status: 'failed',
    content: [{ type: 'content', content: { type: 'text', text: 'Interrupted: the agent process ended.' } }],
  })

/**
 * Ends a tool that the agent left open when its turn ends: completed if the agent ended the turn itself, failed if
 * the turn was cut off. What was told of the tool so far stays.
 */
export const toolEnd = (toolCallId: string, stopReason: string) =>
  event('tool_result', {
    toolCallId,
    status: stopReason === 'end_turn' ? 'completed' : 'failed',
    // Tells a reader that the runner ended the tool, and not the agent.
    _meta: { 'farhand/endedBy': stopReason },
  })
