import type { MethodName } from './methods.ts'
import type { SeenEvent } from './seen-event.ts'

const ofPeople = new Set<string>([
  '_posthog/user_message',
  '_posthog/message_edit',
  '_posthog/cancel',
  '_posthog/pause',
  '_posthog/resume',
  '_posthog/close',
  '_posthog/mode_change',
  '_posthog/run_limits',
  '_posthog/rewind',
  'session/set_mode',
  'session/set_config_option',
  '_posthog/user_response',
  '_posthog/file_sync',
  '_posthog/file_request',
  '_posthog/shell',
  '_posthog/shell_stop',
] satisfies MethodName[])

const ofAgents = new Set<string>([
  'agent_message_chunk',
  'agent_thought_chunk',
  'tool_call',
  'tool_result',
  'session/update',
  '_posthog/ack',
  '_posthog/agent_status',
  '_posthog/turn_complete',
  '_posthog/agent_question',
  '_posthog/file_change',
  '_posthog/sandbox_output',
] satisfies MethodName[])

/**
 * Whether someone did something, as opposed to the machinery telling about itself.
 *
 * Outside a turn a runner is machinery: a server left running in the sandbox may write files and output for ever,
 * and would keep the run from ever falling asleep.
 */
export function isActivity({ by, notification: { method } }: SeenEvent, inTurn: boolean): boolean {
  if (by.kind === 'hub') return false
  return by.kind === 'runner' ? inTurn && ofAgents.has(method) : ofPeople.has(method)
}
