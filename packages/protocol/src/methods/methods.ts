import type { z } from 'zod'
import type { Author } from '../wire/event.ts'
import { type WireName, wireName } from '../wire/wire-names.ts'
import * as agent from './agent.ts'
import * as control from './control.ts'
import * as conversation from './conversation.ts'
import * as files from './files.ts'
import * as git from './git.ts'
import * as lifecycle from './lifecycle.ts'
import * as questions from './questions.ts'
import * as reports from './reports.ts'
import * as session from './session.ts'
import * as settings from './settings.ts'
import * as setup from './setup.ts'
import * as shell from './shell.ts'

/** Who may send a method. A client is anything that acts for a user: a device, the web, a channel (W15). */
export type Sender = 'client' | 'device' | 'runner' | 'hub'

type Method = { by: readonly Sender[]; params: z.ZodType; stored?: z.ZodType }

const method = <Params extends z.ZodType>(params: Params, ...by: Sender[]) => ({ by, params })

/** The table of events, by their names in the code: who may send each, and the schema of its params. */
export const events = {
  session_init: method(session.SessionInit, 'client'),
  session_start: method(session.SessionStart, 'hub', 'runner'),
  status: method(session.StatusChange, 'hub'),
  session_close: method(session.SessionClose, 'hub'),
  session_checkpoint: method(session.SessionCheckpoint, 'runner'),
  session_restored: method(session.SessionRestored, 'runner'),

  rest_request: method(lifecycle.RestRequest, 'hub'),
  rest_answer: method(lifecycle.RestAnswer, 'runner'),
  agent_memory: method(lifecycle.AgentMemory, 'runner'),
  rewind: method(lifecycle.Rewind, 'client'),
  forked: method(lifecycle.Forked, 'hub'),
  moved: method(lifecycle.Moved, 'hub'),

  user_message: method(conversation.UserMessage, 'client'),
  message_edit: method(conversation.MessageEdit, 'client'),
  // A runner may leave the id out; the hub adds it, so in a log every ack has one.
  ack: { ...method(conversation.SentAck, 'runner'), stored: conversation.Ack },
  turn_complete: method(conversation.TurnComplete, 'runner'),
  cancel: method(conversation.Cancel, 'client'),

  pause: method(control.Pause, 'client'),
  resume: method(control.Resume, 'client'),
  close: method(control.Close, 'client'),
  mode_change: method(control.ModeChange, 'client'),
  run_limits: method(control.RunLimits, 'client'),
  'session/set_mode': method(control.SetMode, 'client'),
  'session/set_config_option': method(control.SetConfigOption, 'client'),

  agent_question: method(questions.AgentQuestion, 'runner'),
  user_response: method(questions.UserResponse, 'client', 'hub'),
  question_closed: method(questions.QuestionClosed, 'runner', 'hub'),

  file_change: method(files.FileChanges, 'runner'),
  file_sync: method(files.FileSync, 'client'),
  file_kept: method(files.FileKept, 'client', 'runner', 'hub'),
  file_request: method(files.FileRequest, 'client'),
  file_content: method(files.FileContent, 'runner'),
  device_start: method(settings.DeviceStart, 'device'),
  sync_settings: method(settings.SyncSettings, 'client'),
  git_commit: method(git.GitCommit, 'runner', 'device'),
  user_setup: method(setup.UserSetup, 'client'),

  shell: method(shell.Shell, 'client'),
  shell_stop: method(shell.ShellStop, 'client'),
  sandbox_output: method(shell.SandboxOutput, 'runner'),

  agent_start: method(agent.AgentStart, 'runner'),
  agent_status: method(session.AgentStatusTold, 'runner'),
  agent_message_chunk: method(agent.AgentMessageChunk, 'runner'),
  agent_thought_chunk: method(agent.AgentThoughtChunk, 'runner'),
  user_message_chunk: method(agent.UserMessageChunk, 'runner'),
  tool_call: method(agent.ToolCall, 'runner'),
  tool_result: method(agent.ToolResult, 'runner'),
  'session/update': method(agent.SessionUpdate, 'runner'),

  phase_start: method(reports.PhaseStart, 'runner', 'hub', 'device'),
  phase_complete: method(reports.PhaseComplete, 'runner', 'hub', 'device'),
  artifact: method(reports.Artifact, 'runner', 'hub', 'device'),
  console: method(reports.Console, 'runner', 'hub', 'device'),
  pr_created: method(git.PrCreated, 'runner', 'hub', 'device'),
  error: method(reports.ErrorReport, 'runner', 'hub', 'device'),
} as const satisfies Record<string, Method>

export type EventName = keyof typeof events

/** The params with which an event of this name is written. */
export type EventParams<Name extends EventName> = ReadOnly<z.input<(typeof events)[Name]['params']>>

/** The params of an event that is read from a log. */
export type StoredParams<Name extends EventName> = z.output<
  (typeof events)[Name] extends { stored: infer Stored extends z.ZodType }
    ? Stored
    : (typeof events)[Name]['params']
>

type ReadOnly<Value> = Value extends readonly (infer One)[]
  ? readonly ReadOnly<One>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: ReadOnly<Value[Key]> }
    : Value

type Methods = { readonly [Name in keyof typeof events as WireName<Name>]: (typeof events)[Name] }

/** The same table by methods on the wire. */
export const methods = Object.fromEntries(
  Object.entries(events).map(([name, event]) => [wireName(name), event]),
) as Methods

export type MethodName = keyof typeof methods

const sendersOf: Record<Author['kind'], readonly Sender[]> = {
  runner: ['runner'],
  device: ['client', 'device'],
  web: ['client'],
  channel: ['client'],
  hub: ['hub'],
}

/** Whether an author of this kind may send a method that these senders may send (W15). */
export function maySend(kind: Author['kind'], by: readonly Sender[]): boolean {
  return sendersOf[kind].some((sender) => by.includes(sender))
}
