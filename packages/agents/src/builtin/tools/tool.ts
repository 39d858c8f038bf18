import type { ToolCallContent, ToolKind } from '@agentclientprotocol/sdk'
import type { z } from 'zod'

/** What a tool may touch while it is at work. */
export type Place = {
  cwd: string
  /** What commands find in their environment. */
  env: Readonly<Record<string, string>>
  signal: AbortSignal
}

export type Outcome = {
  /** What the model reads. */
  text: string
  /** What people see instead, if that differs. */
  content?: ToolCallContent[]
  failed?: boolean
}

/** A call that could be made now. Nothing has changed yet: whoever is asked sees `content` first. */
export type Prepared = {
  content: ToolCallContent[]
  /** If it is more than what its tool needs otherwise. */
  need?: Need
  run(show: (content: ToolCallContent[]) => void): Promise<Outcome>
}

/** What a tool does to the world, and so who must agree to it. */
export type Need = 'look' | 'edit' | 'shell'

export type Tool<Input = unknown> = {
  name: string
  description: string
  input: z.ZodType<Input>
  kind: ToolKind
  need: Need
  title(input: Input): string
  /** Relative to the workspace. */
  paths(input: Input): string[]
  /** Throws when the call cannot be made; the message is for the model. */
  prepare(input: Input, place: Place): Promise<Prepared>
}

/** Tools of different inputs in one list: each only ever gets what its own schema has let through. */
export const tool = <Input>(one: Tool<Input>): Tool => one

/** A text for people to read. */
export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } }
}
