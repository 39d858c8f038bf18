import { z } from 'zod'

// What an agent sends over ACP. Only fields that Farhand acts on are checked: agents know more fields, and W26 demands
// that a reader gets all of them.
const chunk = {
  text: z.string(),
  content: z.looseObject({ type: z.string() }).optional(),
  messageId: z.string().nullable().optional(),
}
const tool = { toolCallId: z.string().min(1), status: z.string().nullable().optional() }

export const AgentMessageChunk = z.looseObject(chunk)
export type AgentMessageChunk = z.infer<typeof AgentMessageChunk>

export const AgentThoughtChunk = z.looseObject(chunk)
export type AgentThoughtChunk = z.infer<typeof AgentThoughtChunk>

export const UserMessageChunk = z.looseObject(chunk)
export type UserMessageChunk = z.infer<typeof UserMessageChunk>

export const ToolCall = z.looseObject(tool)
export type ToolCall = z.infer<typeof ToolCall>

export const ToolResult = z.looseObject(tool)
export type ToolResult = z.infer<typeof ToolResult>

/** Any other ACP update, unchanged. */
export const SessionUpdate = z.looseObject({ update: z.looseObject({ sessionUpdate: z.string().min(1) }) })
export type SessionUpdate = z.infer<typeof SessionUpdate>

/**
 * An agent is ready: which one, in which session of its own, and with which abilities, as the agent sent them. `how`: what it
 * knows of the conversation so far: nothing, its own memory, or a briefing made from the log. `cwd` is the folder in which
 * it works: with it, readers can turn the paths of its tools into paths of the workspace.
 */
export const AgentStart = z.looseObject({
  agent: z.string().min(1).max(100),
  sessionId: z.string().min(1).max(1000),
  how: z.enum(['new', 'loaded', 'resumed', 'briefed']),
  said: z.looseObject({}).optional(),
  cwd: z.string().max(10_000).optional(),
})
export type AgentStart = z.infer<typeof AgentStart>
