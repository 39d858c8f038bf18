import type { ToolCallContent, ToolKind } from '@agentclientprotocol/sdk'
import type { z } from 'zod'

/** What a call needs to run. */
export type Place = {
  cwd: string
  /** The environment of commands. */
  env: Readonly<Record<string, string>>
  signal: AbortSignal
}

export type Outcome = {
  /** The result for the model. */
  text: string
  /** The result for users, if it differs. */
  content?: ToolCallContent[]
  failed?: boolean
}

/** A call that can be made now. Nothing has changed yet: a user who is asked sees `content` first. */
export type Prepared = {
  content: ToolCallContent[]
  /** Set if this call needs more than its tool usually does. */
  need?: Need
  run(show: (content: ToolCallContent[]) => void): Promise<Outcome>
}

/** What a tool does, which decides whether a user has to allow it. */
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
  /** Throws if the call cannot be made; the message is for the model. */
  prepare(input: Input, place: Place): Promise<Prepared>
}

/** Allows tools with different inputs in one list: each only gets input that its own schema has accepted. */
export const tool = <Input>(one: Tool<Input>): Tool => one
