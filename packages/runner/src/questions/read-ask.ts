import { type Field, fieldsOf } from '@farhand/protocol/forms/form-fields'
import { plainLine, plainText } from '@farhand/protocol/text/plain-text'
import { z } from 'zod'
import { toolInput } from './tool-input.ts'
import { type Wrapped, wrappedQuestions } from './wrapped-questions.ts'

const text = z.string().optional().catch(undefined)
const list = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .array(z.unknown())
    .catch([])
    .transform((all) => all.flatMap((one) => schema.safeParse(one).data ?? []))

// Agents leave out required fields and send unknown ones. A malformed part counts as missing: refusing the whole
// request would leave the agent without an answer.
const Option = z.object({ optionId: z.string(), name: z.string().min(1).optional(), kind: text })
const Location = z.object({ path: z.string() })
const Content = z.union([
  z.object({ type: z.literal('diff'), path: z.string(), oldText: text, newText: text }),
  z.object({ type: z.literal('content'), content: z.object({ text: z.string() }) }),
])
const ToolCall = z.object({
  toolCallId: text,
  title: text,
  name: text,
  kind: text,
  content: list(Content),
  locations: list(Location),
  rawInput: z.record(z.string(), z.unknown()).catch({}),
})
const noTool = ToolCall.parse({})

/** Node fires a timer of more than 24 days at once. */
export const mostSeconds = 2_000_000

const Meta = z
  .object({
    timeoutSeconds: z.number().positive().max(mostSeconds).optional().catch(undefined),
    default: z.unknown().optional(),
  })
  .catch({ default: undefined })

const Permission = z.object({ toolCall: ToolCall.catch(noTool), options: list(Option), _meta: Meta })
const Elicitation = z.object({
  message: z.string().catch(''),
  mode: text,
  url: text,
  toolCallId: text,
  requestedSchema: z.unknown().optional(),
  _meta: Meta,
})

export type AskedTool = z.infer<typeof ToolCall>

export type Choice = { optionId: string; name: string; kind: string | null }

type Asked = { timeoutSeconds: number | undefined; default: unknown; toolCallId: string | undefined }

/** An agent's request, validated: every part that is present can be relied on. */
export type ReadAsk = Asked &
  (
    | { asks: 'permission' | 'choice'; tool: AskedTool; choices: readonly Choice[] }
    /** `wrapped`: the agent sent its questions inside a permission request, and expects the answers there. */
    | { asks: 'form'; message: string; fields: readonly Field[]; schema: unknown; wrapped?: Wrapped }
    | { asks: 'url'; message: string; url: string }
  )

/** Reads the params of a `session/request_permission` or an `elicitation/create`; never fails. */
export function readAsk(ask: { method: string; params: unknown }): ReadAsk {
  return ask.method === 'session/request_permission'
    ? readPermission(ask.params)
    : readElicitation(ask.params)
}

function readPermission(params: unknown): ReadAsk {
  const { toolCall, options, _meta } = Permission.catch(Permission.parse({})).parse(params)
  const tool = { ...toolCall, rawInput: toolInput(toolCall.rawInput, toolCall.content) }
  // The agent could not tell two options with one id apart.
  const seen = new Set<string>()
  const unlike = options.filter(({ optionId }) => !seen.has(optionId) && seen.add(optionId))
  const choices = lastingLater(
    unlike.map(({ optionId, name, kind }) => ({
      optionId,
      name: plainLine(nameOf(optionId, name, kind)) || optionId,
      kind: kind ?? null,
    })),
  )
  const asked = { toolCallId: tool.toolCallId, ...said(_meta) }
  const asks = isPermission(choices) ? 'permission' : 'choice'
  const questions = asks === 'permission' ? wrappedQuestions(tool.rawInput, choices) : null
  if (questions) return { asks: 'form', ...asked, ...questions }
  return { asks, tool, choices, ...asked }
}

const namesOfKinds: ReadonlyMap<string, string> = new Map([
  ['allow_once', 'Allow once'],
  ['allow_always', 'Always allow'],
  ['reject_once', 'Reject'],
  ['reject_always', 'Always reject'],
])

/** The option's name; where the agent only gives its id or kind, a name for the kind. */
function nameOf(optionId: string, name: string | undefined, kind: string | undefined): string {
  const isName = name !== undefined && name !== optionId && name !== kind
  return isName ? name : (namesOfKinds.get(kind ?? '') ?? name ?? optionId)
}

/** Puts "always allow" behind "allow once", or else last: users often take the first option without reading. */
function lastingLater(choices: readonly Choice[]): Choice[] {
  const isLasting = ({ kind }: Choice) => kind === 'allow_always'
  const lasting = choices.filter(isLasting)
  const others = choices.filter((choice) => !isLasting(choice))
  const onces = others.filter(({ kind }) => kind === 'allow_once').length
  if (onces === 0) return [...others, ...lasting]
  const behind = others.findLastIndex(({ kind }) => kind === 'allow_once') + 1
  return [...others.slice(0, behind), ...lasting, ...others.slice(behind)]
}

function readElicitation(params: unknown): ReadAsk {
  const { message, mode, url, toolCallId, requestedSchema, _meta } = Elicitation.catch(
    Elicitation.parse({}),
  ).parse(params)
  const asked = { message: plainText(message).trim(), toolCallId, ...said(_meta) }
  if (mode === 'url' || (url !== undefined && requestedSchema === undefined)) {
    return { asks: 'url', url: plainLine(url ?? ''), ...asked }
  }
  return { asks: 'form', fields: fieldsOf(requestedSchema), schema: requestedSchema, ...asked }
}

const said = (meta: z.infer<typeof Meta>) => ({
  timeoutSeconds: meta.timeoutSeconds,
  default: meta.default ?? undefined,
})

export const isAllow = ({ kind }: { kind: string | null }) => kind === 'allow_once' || kind === 'allow_always'
export const isReject = ({ kind }: { kind: string | null }) =>
  kind === 'reject_once' || kind === 'reject_always'

// Some agents send a question as a permission with one "allow once" option per answer. Treated as a permission, a
// policy would pick an answer.
function isPermission(choices: readonly Choice[]): boolean {
  const isKnown = choices.every((choice) => isAllow(choice) || isReject(choice))
  const onces = choices.filter(({ kind }) => kind === 'allow_once').length
  return isKnown && choices.some(isAllow) && onces <= 1
}
