import type { ToolCallContent } from '@agentclientprotocol/sdk'

/** A text for users. */
export const textContent = (text: string): ToolCallContent => ({
  type: 'content',
  content: { type: 'text', text },
})
