import type {
  InitializeResponse,
  McpServer,
  PromptResponse,
  SessionConfigOption,
} from '@agentclientprotocol/sdk'
import { AgentRefused, type AgentSession, type AgentUpdate } from './agent.ts'

// Agents leave out what they should say, and say null for it: whatever is not as it should be is taken as left out.

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isUpdate = (value: unknown): value is AgentUpdate =>
  isObject(value) && typeof value.sessionUpdate === 'string'

/** What it answered to a request for a session, which has no name yet if it is a new one. */
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

/** What an agent says of itself when a session begins, if it tells: Pi says it as its own words, maybe in a turn. */
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

/** The turn is over, whatever else its answer leaves out; that its reason is a word can be relied on. */
export function promptResponseOf(said: unknown): PromptResponse {
  const { stopReason, ...rest } = isObject(said) ? said : {}
  const isWord = typeof stopReason === 'string' && stopReason !== ''
  return { ...rest, stopReason: (isWord ? stopReason : 'end_turn') as PromptResponse['stopReason'] }
}

/** How agents tell it that take words into a turn: the protocol has no standard for that yet. */
export function saysSteering({ _meta }: InitializeResponse): boolean {
  const { steering } = isObject(_meta) ? _meta : {}
  return isObject(steering) && steering.supported === true
}

/** Whether it has taken the words; one that says it began a turn with them has, too. */
export function hasTaken(said: unknown): boolean {
  return isObject(said) && (said.outcome === 'injected' || said.outcome === 'startedNewTurn')
}

/** Whether an agent can reach this server: programs it always can. */
export function canReach({ agentCapabilities }: InitializeResponse, server: McpServer): boolean {
  if (!('type' in server)) return true
  return agentCapabilities?.mcpCapabilities?.[server.type] === true
}
