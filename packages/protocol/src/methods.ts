import type { z } from 'zod'
import type { Author } from './event.ts'
import * as agent from './methods/agent.ts'
import * as control from './methods/control.ts'
import * as conversation from './methods/conversation.ts'
import * as files from './methods/files.ts'
import * as git from './methods/git.ts'
import * as lifecycle from './methods/lifecycle.ts'
import * as questions from './methods/questions.ts'
import * as reports from './methods/reports.ts'
import * as session from './methods/session.ts'
import * as settings from './methods/settings.ts'
import * as setup from './methods/setup.ts'
import * as shell from './methods/shell.ts'

/** Who may send a method. A client is whatever speaks for a person: a device, the web, a channel (W15). */
export type Sender = 'client' | 'device' | 'runner' | 'hub'

type Method = { by: readonly Sender[]; params: z.ZodType }

const method = <Params extends z.ZodType>(params: Params, ...by: Sender[]) => ({ by, params })

/** Every method that has a meaning in a log: who may send it, and what it says. */
export const methods = {
  '_posthog/session_init': method(session.SessionInit, 'client'),
  '_posthog/session_start': method(session.SessionStart, 'hub', 'runner'),
  '_posthog/status': method(session.StatusChange, 'hub'),
  '_posthog/session_close': method(session.SessionClose, 'hub'),
  '_posthog/session_checkpoint': method(session.SessionCheckpoint, 'runner'),
  '_posthog/session_restored': method(session.SessionRestored, 'runner'),

  '_posthog/rest_request': method(lifecycle.RestRequest, 'hub'),
  '_posthog/rest_answer': method(lifecycle.RestAnswer, 'runner'),
  '_posthog/agent_memory': method(lifecycle.AgentMemory, 'runner'),
  '_posthog/rewind': method(lifecycle.Rewind, 'client'),
  '_posthog/forked': method(lifecycle.Forked, 'hub'),
  '_posthog/moved': method(lifecycle.Moved, 'hub'),

  '_posthog/user_message': method(conversation.UserMessage, 'client'),
  '_posthog/message_edit': method(conversation.MessageEdit, 'client'),
  '_posthog/ack': method(conversation.SentAck, 'runner'),
  '_posthog/turn_complete': method(conversation.TurnComplete, 'runner'),
  '_posthog/cancel': method(conversation.Cancel, 'client'),

  '_posthog/pause': method(control.Pause, 'client'),
  '_posthog/resume': method(control.Resume, 'client'),
  '_posthog/close': method(control.Close, 'client'),
  '_posthog/mode_change': method(control.ModeChange, 'client'),
  '_posthog/run_limits': method(control.RunLimits, 'client'),
  'session/set_mode': method(control.SetMode, 'client'),
  'session/set_config_option': method(control.SetConfigOption, 'client'),

  '_posthog/agent_question': method(questions.AgentQuestion, 'runner'),
  '_posthog/user_response': method(questions.UserResponse, 'client', 'hub'),
  '_posthog/question_closed': method(questions.QuestionClosed, 'runner', 'hub'),

  '_posthog/file_change': method(files.FileChanges, 'runner'),
  '_posthog/file_sync': method(files.FileSync, 'client'),
  '_posthog/file_kept': method(files.FileKept, 'client', 'runner', 'hub'),
  '_posthog/file_request': method(files.FileRequest, 'client'),
  '_posthog/file_content': method(files.FileContent, 'runner'),
  '_posthog/device_start': method(settings.DeviceStart, 'device'),
  '_posthog/sync_settings': method(settings.SyncSettings, 'client'),
  '_posthog/git_commit': method(git.GitCommit, 'runner', 'device'),
  '_posthog/user_setup': method(setup.UserSetup, 'client'),

  '_posthog/shell': method(shell.Shell, 'client'),
  '_posthog/shell_stop': method(shell.ShellStop, 'client'),
  '_posthog/sandbox_output': method(shell.SandboxOutput, 'runner'),

  '_posthog/agent_start': method(agent.AgentStart, 'runner'),
  '_posthog/agent_status': method(session.AgentStatusTold, 'runner'),
  agent_message_chunk: method(agent.AgentMessageChunk, 'runner'),
  agent_thought_chunk: method(agent.AgentThoughtChunk, 'runner'),
  user_message_chunk: method(agent.UserMessageChunk, 'runner'),
  tool_call: method(agent.ToolCall, 'runner'),
  tool_result: method(agent.ToolResult, 'runner'),
  'session/update': method(agent.SessionUpdate, 'runner'),

  '_posthog/phase_start': method(reports.PhaseStart, 'runner', 'hub', 'device'),
  '_posthog/phase_complete': method(reports.PhaseComplete, 'runner', 'hub', 'device'),
  '_posthog/artifact': method(reports.Artifact, 'runner', 'hub', 'device'),
  '_posthog/console': method(reports.Console, 'runner', 'hub', 'device'),
  '_posthog/pr_created': method(git.PrCreated, 'runner', 'hub', 'device'),
  '_posthog/error': method(reports.ErrorReport, 'runner', 'hub', 'device'),
} as const satisfies Record<string, Method>

export type MethodName = keyof typeof methods

const speaksFor: Record<Author['kind'], readonly Sender[]> = {
  runner: ['runner'],
  device: ['client', 'device'],
  web: ['client'],
  channel: ['client'],
  hub: ['hub'],
}

/** Whether an author of this kind may send a method of these senders (W15). */
export function maySend(kind: Author['kind'], by: readonly Sender[]): boolean {
  return speaksFor[kind].some((sender) => by.includes(sender))
}
