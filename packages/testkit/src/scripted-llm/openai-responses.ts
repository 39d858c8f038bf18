import { z } from 'zod'
import { conversationOf, type OfferedTool, type Said } from './conversation.ts'
import { argumentsOf, type Dialect, frame, newId, tokens } from './dialect.ts'
import { fieldsOf } from './instance-of.ts'
import { JsonObject, plainText } from './plain-text.ts'
import type { ToolCall } from './tool-calls.ts'

const Item = z.looseObject({ type: z.string().optional(), role: z.string().optional() })
const Tool = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  parameters: JsonObject.nullish(),
})
const Body = z.looseObject({
  model: z.string(),
  input: z.union([z.string(), z.array(Item)]),
  tools: z.array(Tool).nullish(),
  text: z.looseObject({ format: z.looseObject({ schema: JsonObject.optional() }).nullish() }).nullish(),
})

const newResponse = () => ({ id: newId('resp'), object: 'response', created_at: 1, model: 'scripted' })
const usage = {
  input_tokens: tokens.in,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: tokens.out,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: tokens.in + tokens.out,
}

const messageItem = (text: string, id = newId('item')) => ({
  type: 'message',
  id,
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
})

function callItem(call: ToolCall) {
  const called = { id: newId('item'), call_id: newId('call'), name: call.name, status: 'completed' }
  return typeof call.input === 'string'
    ? { type: 'custom_tool_call', ...called, input: call.input }
    : { type: 'function_call', ...called, arguments: argumentsOf(call) }
}

/** OpenAI's responses. */
export const openaiResponses: Dialect = {
  name: 'openai-responses',

  read(body) {
    const { model, input, tools, text } = Body.parse(body)
    const said = typeof input === 'string' ? [{ by: 'user' as const, text: input }] : input.flatMap(saidIn)
    return conversationOf(said, {
      model,
      tools: (tools ?? []).flatMap(offered).map(isUnrestricted(body) ? withoutAsking : (tool) => tool),
      form: text?.format?.schema ?? null,
    })
  },

  whole: (text, call) => ({
    ...newResponse(),
    status: 'completed',
    output: [...(text === '' ? [] : [messageItem(text)]), ...(call ? [callItem(call)] : [])],
    usage,
  }),

  stream() {
    let text = ''
    let index = 0
    const response = newResponse()
    const textId = newId('item')
    const output: object[] = []
    const event = (type: string, more: object) => frame({ type, ...more }, type)
    const done = (item: object) => {
      output.push(item)
      return event('response.output_item.done', { output_index: index++, item })
    }
    const endText = () => (text === '' ? '' : done(messageItem(text, textId)))
    return {
      begin: () =>
        event('response.created', { response: { ...response, status: 'in_progress', output: [] } }),
      text: (delta) => {
        const added =
          text === ''
            ? event('response.output_item.added', { output_index: 0, item: messageItem('', textId) })
            : ''
        text += delta
        const place = { item_id: textId, output_index: 0, content_index: 0 }
        return added + event('response.output_text.delta', { ...place, delta })
      },
      call: (call) => {
        const before = endText()
        text = ''
        const item = callItem(call)
        return before + event('response.output_item.added', { output_index: index, item }) + done(item)
      },
      end: () =>
        endText() +
        event('response.completed', { response: { ...response, status: 'completed', output, usage } }),
    }
  },

  refusal: (status, message) => ({ error: { message, type: 'scripted', code: String(status), param: null } }),
}

function saidIn(item: z.infer<typeof Item>): Said[] {
  if (item.type?.endsWith('_call_output')) return [{ by: 'tool', text: plainText(item.output) }]
  if (item.role === 'user') return [{ by: 'user', text: plainText(item.content) }]
  return []
}

/** In this mode Codex tells its model that the user is not asked for permission, and refuses calls that ask for it. */
const isUnrestricted = (body: unknown) =>
  JSON.stringify(body).includes('`sandbox_mode` is `danger-full-access`')

function withoutAsking({ name, input }: OfferedTool): OfferedTool {
  if (!input) return { name, input }
  const { sandbox_permissions: _, justification: __, ...properties } = fieldsOf(input)
  return { name, input: { ...input, properties } }
}

/** Only functions and tools that take free text can be called by a script. */
function offered({ type, name, parameters }: z.infer<typeof Tool>): OfferedTool[] {
  if (name === undefined) return []
  if (type === 'function') return [{ name, input: parameters ?? {} }]
  return type === 'custom' ? [{ name, input: null }] : []
}
