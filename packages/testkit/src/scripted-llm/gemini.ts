import { z } from 'zod'
import { conversationOf, type Said } from './conversation.ts'
import { type Dialect, frame, tokens } from './dialect.ts'
import { JsonObject, plainText } from './plain-text.ts'
import type { ToolCall } from './tool-calls.ts'

const Part = z.looseObject({
  text: z.string().optional(),
  functionResponse: z.looseObject({ response: z.unknown().optional() }).optional(),
})
const Declared = z.looseObject({
  name: z.string(),
  parameters: JsonObject.optional(),
  parametersJsonSchema: JsonObject.optional(),
})
const Body = z.looseObject({
  contents: z.array(z.looseObject({ role: z.string().default('user'), parts: z.array(Part).default([]) })),
  tools: z.array(z.looseObject({ functionDeclarations: z.array(Declared).default([]) })).default([]),
  generationConfig: z
    .looseObject({ responseSchema: JsonObject.optional(), responseJsonSchema: JsonObject.optional() })
    .default({}),
})

const usageMetadata = {
  promptTokenCount: tokens.in,
  candidatesTokenCount: tokens.out,
  totalTokenCount: tokens.in + tokens.out,
}

const said = (parts: readonly object[], finishReason?: 'STOP') => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, ...(finishReason ? { finishReason } : {}) }],
  modelVersion: 'scripted',
  usageMetadata,
})
const callPart = ({ name, input }: ToolCall) => ({ functionCall: { name, args: input } })

/** Gemini's content generation. */
export const gemini: Dialect = {
  name: 'gemini',

  read(body, path) {
    const { contents, tools, generationConfig } = Body.parse(body)
    const declared = tools.flatMap(({ functionDeclarations }) => functionDeclarations)
    return conversationOf(
      contents.flatMap(({ role, parts }) => (role === 'model' ? [] : saidInAll(parts))),
      {
        model: /models\/([^:/]+)/.exec(path)?.[1] ?? '',
        tools: declared.map(({ name, parameters, parametersJsonSchema }) => ({
          name,
          input: parametersJsonSchema ?? parameters ?? {},
        })),
        form: generationConfig.responseJsonSchema ?? generationConfig.responseSchema ?? null,
      },
    )
  },

  whole: (text, call) =>
    said([...(text === '' ? [] : [{ text }]), ...(call ? [callPart(call)] : [])], 'STOP'),

  stream: () => ({
    begin: () => '',
    text: (text) => frame(said([{ text }])),
    call: (call) => frame(said([callPart(call)])),
    end: () => frame(said([], 'STOP')),
  }),

  refusal: (code, message) => ({
    error: {
      code,
      message,
      status: code === 429 ? 'RESOURCE_EXHAUSTED' : code < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL',
    },
  }),
}

/** Gemini CLI puts attached content behind the words of the user, under this heading. */
const heading = '--- Content from referenced context ---'

function saidInAll(parts: readonly z.infer<typeof Part>[]): Said[] {
  const begin = parts.findIndex(({ text }) => text?.trim() === heading)
  return parts.flatMap((part, nth) => {
    const said = saidIn(part)
    return begin === -1 || nth < begin ? said : said.map(({ text }) => ({ by: 'note', text }))
  })
}

function saidIn({ text, functionResponse }: z.infer<typeof Part>): Said[] {
  if (functionResponse) return [{ by: 'tool', text: plainText(functionResponse.response) }]
  return text === undefined ? [] : [{ by: 'user', text }]
}
