import { eventsNamed } from '../events/event-names.ts'
import type { SeenEvent } from '../wire/seen-event.ts'

const isOfPeople = eventsNamed(
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

const isOfAgents = eventsNamed(
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
 * Whether someone did something, as opposed to the machinery telling about itself.
 *
 * Outside a turn a runner is machinery: a server left running in the sandbox may write files and output for ever,
 * and would keep the run from ever falling asleep.
 */
export function isActivity({ by, notification }: SeenEvent, inTurn: boolean): boolean {
  if (by.kind === 'hub') return false
  return by.kind === 'runner' ? inTurn && isOfAgents(notification) : isOfPeople(notification)
}
