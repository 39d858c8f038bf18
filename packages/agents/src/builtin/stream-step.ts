import { type FinishReason, type LanguageModelUsage, type ModelMessage, streamText } from 'ai'
import type { Turn } from '../acp-program.ts'
import type { LoadedModel } from './model/load-model.ts'
import type { toolsFor } from './toolbox.ts'

// The library would print warnings to standard output, which belongs to the protocol.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

export type Call = {
  toolCallId: string
  toolName: string
  input: unknown
  /** Why the call is invalid; null if it is valid. */
  invalid: string | null
}

export type Step = {
  messages: readonly ModelMessage[]
  calls: readonly Call[]
  finishReason: FinishReason
  usage: LanguageModelUsage
}

/** The request failed or was cancelled; `spoken` is the text that users have seen of the answer. */
export class StepFailed extends Error {
  readonly spoken: string

  constructor(spoken: string, cause: unknown) {
    super('the model did not come to the end of its answer', { cause })
    this.spoken = spoken
  }
}

export type StepRequest = {
  loaded: LoadedModel
  system: string
  messages: readonly ModelMessage[]
  tools: ReturnType<typeof toolsFor>
  turn: Turn
  /** The model begins to write a call; its input is not known yet. */
  callBegins(toolCallId: string, toolName: string): Promise<unknown>
}

/** One answer of the model, streamed to the host; throws StepFailed and nothing else. */
export async function streamStep(request: StepRequest): Promise<Step> {
  const { loaded, turn } = request
  let spoken = ''
  try {
    const stream = streamText({
      model: loaded.model,
      system: { role: 'system', content: request.system, providerOptions: loaded.cacheMark },
      messages: marked(request.messages, loaded.cacheMark),
      tools: request.tools,
      providerOptions: loaded.options,
      abortSignal: turn.signal,
      // `nextStep` decides about retries; the library's own would be invisible.
      maxRetries: 0,
      onError: () => {},
    })
    const calls: Call[] = []
    for await (const part of stream.fullStream) {
      switch (part.type) {
        case 'text-delta':
          spoken += part.text
          if (part.text !== '') await turn.update(chunk('agent_message_chunk', part.text))
          break
        case 'reasoning-delta':
          if (part.text !== '') await turn.update(chunk('agent_thought_chunk', part.text))
          break
        case 'tool-input-start':
          await request.callBegins(part.id, part.toolName)
          break
        case 'tool-call':
          calls.push({
            toolCallId: part.toolCallId,
            toolName: part.toolName,
            input: part.input,
            invalid: part.invalid ? messageOf(part.error) : null,
          })
          break
        case 'error':
          throw part.error
        case 'abort':
          throw turn.signal.reason
      }
    }
    const [{ messages }, finishReason, usage] = await Promise.all([
      stream.response,
      stream.finishReason,
      stream.usage,
    ])
    return { messages: messages as ModelMessage[], calls, finishReason, usage }
  } catch (error) {
    throw new StepFailed(spoken, error)
  }
}

/** Marks the conversation for the provider's cache: the next request repeats it with a little more. */
function marked(messages: readonly ModelMessage[], mark: LoadedModel['cacheMark']): ModelMessage[] {
  const last = messages.at(-1)
  return last
    ? [...messages.slice(0, -1), { ...last, providerOptions: { ...last.providerOptions, ...mark } }]
    : []
}

/** A chunk of the model's text or thoughts. */
export function chunk(sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk', text: string) {
  return { sessionUpdate, content: { type: 'text' as const, text } }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
