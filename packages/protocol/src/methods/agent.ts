import { z } from 'zod'

// What an agent says over ACP. Only what we act on is checked: agents know more fields than we do, and W26 wants
// every one of them back.
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

/** Any other ACP update, as it came. */
export const SessionUpdate = z.looseObject({ update: z.looseObject({ sessionUpdate: z.string().min(1) }) })
export type SessionUpdate = z.infer<typeof SessionUpdate>

/**
 * An agent is ready: which one, in which session of its own, and what it says it can do, as it said it. `how` tells
 * what it knows of what was said before: nothing yet, its own memory of it, or what it was told of the log. `cwd` is the
 * folder in which it works: where it is said, paths of its tools can be read as paths of the workspace.
 */
export const AgentStart = z.looseObject({
  agent: z.string().min(1).max(100),
  sessionId: z.string().min(1).max(1000),
  how: z.enum(['new', 'loaded', 'resumed', 'briefed']),
  said: z.looseObject({}).optional(),
  cwd: z.string().max(10_000).optional(),
})
export type AgentStart = z.infer<typeof AgentStart>
