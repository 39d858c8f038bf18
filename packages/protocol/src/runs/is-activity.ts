import { eventsNamed } from '../events/event-names.ts'
import type { SeenEvent } from '../wire/seen-event.ts'

const isOfUser = eventsNamed(
  'user_message',
  'message_edit',
  'cancel',
  'pause',
  'resume',
  'close',
  'mode_change',
  'run_limits',
  'rewind',
  'session/set_mode',
  'session/set_config_option',
  'user_response',
  'file_sync',
  'file_request',
  'shell',
  'shell_stop',
)

const isOfAgent = eventsNamed(
  'agent_message_chunk',
  'agent_thought_chunk',
  'tool_call',
  'tool_result',
  'session/update',
  'ack',
  'agent_status',
  'turn_complete',
  'agent_question',
  'file_change',
  'sandbox_output',
)

/**
 * Whether a user or the agent did something with this event, as opposed to a report of the hub or the runner.
 *
 * Outside a turn nothing of a runner counts: a server left running in the sandbox may write files and output for ever,
 * and would keep the run from ever falling asleep.
 */
export function isActivity({ by, notification }: SeenEvent, inTurn: boolean): boolean {
  if (by.kind === 'hub') return false
  return by.kind === 'runner' ? inTurn && isOfAgent(notification) : isOfUser(notification)
}
