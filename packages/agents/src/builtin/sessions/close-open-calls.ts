import type { ModelMessage } from 'ai'

type ToolMessage = Extract<ModelMessage, { role: 'tool' }>

/** Adds a result to every tool call that has none, as after a cancel or a kill: providers refuse such a conversation. */
export function closeOpenCalls(messages: readonly ModelMessage[], why: string): ModelMessage[] {
  const whole: ModelMessage[] = []
  let open = new Map<string, string>()
  const close = () => {
    if (open.size > 0) whole.push({ role: 'tool', content: [...open].map((call) => missing(call, why)) })
  }
  for (const message of messages) {
    if (message.role === 'tool') {
      for (const part of message.content) if (part.type === 'tool-result') open.delete(part.toolCallId)
    } else {
      close()
      open = callsOf(message)
    }
    whole.push(message)
  }
  close()
  return whole
}

function missing([toolCallId, toolName]: [string, string], why: string): ToolMessage['content'][number] {
  return { type: 'tool-result', toolCallId, toolName, output: { type: 'error-text', value: why } }
}

function callsOf(message: ModelMessage): Map<string, string> {
  if (message.role !== 'assistant' || typeof message.content === 'string') return new Map()
  return new Map(
    message.content.flatMap((part) =>
      part.type === 'tool-call' && !part.providerExecuted ? [[part.toolCallId, part.toolName]] : [],
    ),
  )
}
