import { z } from 'zod'
import { conversationOf, type Said } from './conversation.ts'
import { argumentsOf, type Dialect, frame, newId, tokens } from './dialect.ts'
import { JsonObject, plainText } from './plain-text.ts'
import type { ToolCall } from './tool-calls.ts'

const Body = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown().optional() })),
  tools: z
    .array(
      z.looseObject({
        function: z.looseObject({ name: z.string(), parameters: JsonObject.optional() }).optional(),
      }),
    )
    .nullish(),
  response_format: z
    .looseObject({ json_schema: z.looseObject({ schema: JsonObject.optional() }).optional() })
    .nullish(),
})

const usage = {
  prompt_tokens: tokens.in,
  completion_tokens: tokens.out,
  total_tokens: tokens.in + tokens.out,
}

const newHead = () => ({ id: newId('chatcmpl'), created: 1, model: 'scripted' })
const finish = (call: unknown) => (call ? 'tool_calls' : 'stop')
const toolCall = (call: ToolCall) => ({
  id: newId('call'),
  type: 'function',
  function: { name: call.name, arguments: argumentsOf(call) },
})

/** OpenAI's chat completions, which most others speak as well. */
export const openaiChat: Dialect = {
  name: 'openai-chat',

  read(body) {
    const { model, messages, tools, response_format } = Body.parse(body)
    const said = messages.flatMap(({ role, content }): Said[] => {
      if (role === 'user') return [{ by: 'user', text: plainText(content) }]
      return role === 'tool' ? [{ by: 'tool', text: plainText(content) }] : []
    })
    return conversationOf(said, {
      model,
      tools: (tools ?? []).flatMap(({ function: tool }) =>
        tool ? [{ name: tool.name, input: tool.parameters ?? {} }] : [],
      ),
      form: response_format?.json_schema?.schema ?? null,
    })
  },

  whole: (text, call) => ({
    ...newHead(),
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text === '' ? null : text,
          ...(call ? { tool_calls: [toolCall(call)] } : {}),
        },
        finish_reason: finish(call),
      },
    ],
    usage,
  }),

  stream() {
    let hasCall = false
    const head = newHead()
    const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) =>
      frame({
        ...head,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, finish_reason }],
        ...more,
      })
    return {
      begin: () => chunk({ role: 'assistant', content: '' }),
      text: (content) => chunk({ content }),
      call: (call) => {
        hasCall = true
        return chunk({ tool_calls: [{ index: 0, ...toolCall(call) }] })
      },
      end: () => chunk({}, finish(hasCall), { usage }) + frame('[DONE]'),
    }
  },

  refusal: (status, message) => ({ error: { message, type: 'scripted', code: status } }),
}
