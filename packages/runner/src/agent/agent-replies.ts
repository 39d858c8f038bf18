import type {
  InitializeResponse,
  McpServer,
  PromptResponse,
  SessionConfigOption,
} from '@agentclientprotocol/sdk'
import { AgentRefused, type AgentSession, type AgentUpdate } from './agent.ts'

// Agents leave out required fields, or send null: a malformed field counts as missing.

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isUpdate = (value: unknown): value is AgentUpdate =>
  isObject(value) && typeof value.sessionUpdate === 'string'

/** Reads the answer to a request for a session; `sessionId` is null for a new one. */
export function sessionOf(said: unknown, sessionId: string | null): AgentSession {
  const { sessionId: named, modes } = isObject(said) ? said : {}
  const id = sessionId ?? named
  if (typeof id !== 'string' || id === '')
    throw new AgentRefused('The agent began a session and did not name it.', -32603, said)
  return {
    sessionId: id,
    modes: isObject(modes) ? (modes as AgentSession['modes']) : null,
    configOptions: configOptionsOf(said),
  }
}

/**
 * The greeting that an agent announces for a session, if it does: Pi sends it as a message of its own, maybe within a
 * turn.
 */
export function greetingOf(said: unknown): string | null {
  const { _meta } = isObject(said) ? said : {}
  const { piAcp } = isObject(_meta) ? _meta : {}
  const { startupInfo } = isObject(piAcp) ? piAcp : {}
  return typeof startupInfo === 'string' ? startupInfo : null
}

export function configOptionsOf(said: unknown): SessionConfigOption[] | null {
  const { configOptions } = isObject(said) ? said : {}
  return Array.isArray(configOptions) ? (configOptions as SessionConfigOption[]) : null
}

/** An answer without a valid reason still ends the turn: as `end_turn`. */
export function promptResponseOf(said: unknown): PromptResponse {
  const { stopReason, ...rest } = isObject(said) ? said : {}
  const isWord = typeof stopReason === 'string' && stopReason !== ''
  return { ...rest, stopReason: (isWord ? stopReason : 'end_turn') as PromptResponse['stopReason'] }
}

/** Whether the agent accepts messages into a running turn; the protocol has no standard for it yet. */
export function saysSteering({ _meta }: InitializeResponse): boolean {
  const { steering } = isObject(_meta) ? _meta : {}
  return isObject(steering) && steering.supported === true
}

/** Whether the agent has taken the message; beginning a new turn with it counts, too. */
export function hasTaken(said: unknown): boolean {
  return isObject(said) && (said.outcome === 'injected' || said.outcome === 'startedNewTurn')
}

/** Whether an agent can use this server; it can always use one that is a program. */
export function canReach({ agentCapabilities }: InitializeResponse, server: McpServer): boolean {
  if (!('type' in server)) return true
  return agentCapabilities?.mcpCapabilities?.[server.type] === true
}
