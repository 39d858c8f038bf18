import { z } from 'zod'
import { conversationOf, type Said } from './conversation.ts'
import { argumentsOf, type Dialect, frame, newId, tokens } from './dialect.ts'
import { JsonObject, plainText } from './plain-text.ts'
import type { ToolCall } from './tool-calls.ts'

const Block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  content: z.unknown().optional(),
})
const Body = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(Block)]) })),
  tools: z.array(z.looseObject({ name: z.string(), input_schema: JsonObject.optional() })).default([]),
  output_config: z
    .looseObject({ format: z.looseObject({ schema: JsonObject.optional() }).nullish() })
    .nullish(),
})

type Message = z.infer<typeof Body>['messages'][number]

const stopReason = (call: unknown) => (call ? 'tool_use' : 'end_turn')
const usage = { input_tokens: tokens.in, output_tokens: tokens.out }
const block = (call: ToolCall) => ({ type: 'tool_use', id: newId('call'), name: call.name })

/** Anthropic's messages. */
export const anthropic: Dialect = {
  name: 'anthropic',

  read(body) {
    const { model, messages, tools, output_config } = Body.parse(body)
    return conversationOf(messages.flatMap(saidIn), {
      model,
      // Tools that the provider runs have no schema.
      tools: tools.flatMap(({ name, input_schema }) => (input_schema ? [{ name, input: input_schema }] : [])),
      form: output_config?.format?.schema ?? null,
    })
  },

  whole: (text, call) => ({
    ...newMessage(),
    content: [
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...(call ? [{ ...block(call), input: call.input }] : []),
    ],
    stop_reason: stopReason(call),
  }),

  stream() {
    let index = -1
    let open: 'text' | 'call' | null = null
    const event = (type: string, more: object = {}) => frame({ type, ...more }, type)
    const close = () => (open ? event('content_block_stop', { index }) : '')
    const start = (kind: 'text' | 'call', content_block: object) => {
      const closed = close()
      index += 1
      open = kind
      return closed + event('content_block_start', { index, content_block })
    }
    return {
      begin: () => event('message_start', { message: newMessage() }),
      text: (text) =>
        (open === 'text' ? '' : start('text', { type: 'text', text: '' })) +
        event('content_block_delta', { index, delta: { type: 'text_delta', text } }),
      call: (call) =>
        start('call', { ...block(call), input: {} }) +
        event('content_block_delta', {
          index,
          delta: { type: 'input_json_delta', partial_json: argumentsOf(call) },
        }),
      end: () => {
        const delta = { stop_reason: stopReason(open === 'call'), stop_sequence: null }
        return close() + event('message_delta', { delta, usage }) + event('message_stop')
      },
    }
  },

  refusal: (status, message) => ({
    type: 'error',
    error: { type: status === 429 ? 'rate_limit_error' : 'api_error', message },
  }),
}

const newMessage = () => ({
  id: newId('msg'),
  type: 'message',
  role: 'assistant',
  model: 'scripted',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage,
})

function saidIn({ role, content }: Message): Said[] {
  if (role !== 'user') return []
  if (typeof content === 'string') return [{ by: 'user', text: content }]
  return content.flatMap((block): Said[] => {
    if (block.type === 'text') return [{ by: 'user', text: block.text ?? '' }]
    return block.type === 'tool_result' ? [{ by: 'tool', text: plainText(block.content) }] : []
  })
}
