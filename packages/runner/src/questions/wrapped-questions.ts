import type { RequestPermissionResponse } from '@agentclientprotocol/sdk'
import type { Content } from '@farhand/protocol/forms/form-content'
import { type Field, fieldsOf } from '@farhand/protocol/forms/form-fields'
import { plainLine, plainText } from '@farhand/protocol/text/plain-text'
import { z } from 'zod'

/** Which option of the permission submits the answers, and which refuses to answer. */
export type Wrapped = { submit: string; refuse: string | null }

const Label = z.union([
  z.string().min(1),
  z.object({ label: z.string().min(1), description: z.string().optional().catch(undefined) }),
])
const Question = z.object({
  question: z.string().min(1),
  header: z.string().optional().catch(undefined),
  options: z.array(Label).max(100).catch([]),
  multiSelect: z.boolean().catch(false),
})
const Input = z.object({ questions: z.array(Question).min(1).max(20) })
type Question = z.infer<typeof Question>

type Options = readonly { optionId: string; kind: string | null }[]

/**
 * The form of an agent that sends questions inside a permission request and leaves it to its host to ask them. Null
 * if the request is for something else.
 */
export function wrappedQuestions(
  input: unknown,
  options: Options,
): { message: string; fields: Field[]; schema: object; wrapped: Wrapped } | null {
  const { questions } = Input.safeParse(input).data ?? {}
  const submits = options.filter(({ kind }) => kind === 'allow_once')
  if (!questions || submits.length !== 1) return null
  const refuse = options.find(({ kind }) => kind === 'reject_once')?.optionId ?? null
  const schema = { type: 'object', properties: Object.fromEntries(questions.flatMap(propertiesOf)) }
  const [first] = questions
  const message = questions.length === 1 ? first!.question : `The agent asks ${questions.length} questions.`
  return {
    message: plainText(message).trim(),
    fields: fieldsOf(schema),
    schema,
    wrapped: { submit: submits[0]!.optionId, refuse },
  }
}

function propertiesOf(
  { question, header, options, multiSelect }: Question,
  index: number,
  all: readonly Question[],
): [string, object][] {
  const name = `question_${index + 1}`
  const title = plainLine(header ?? '') || `Question ${index + 1}`
  const described = { title, ...(all.length > 1 && { description: question }) }
  if (options.length === 0) return [[name, { type: 'string', ...described }]]
  const choices = options.map((one) => {
    const { label, description } = typeof one === 'string' ? { label: one, description: undefined } : one
    return { const: label, title: label, ...(description && { description }) }
  })
  const own = { type: 'string', title: 'Other', description: 'An answer of your own instead (optional).' }
  return [
    [
      name,
      multiSelect
        ? { type: 'array', ...described, items: { anyOf: choices } }
        : { type: 'string', ...described, oneOf: choices },
    ],
    [`${name}_other`, own],
  ]
}

/** The agent's answer for a filled-in form: each answer under the number of its question, from 0. */
export function submission({ submit }: Wrapped, content: Content): RequestPermissionResponse {
  const answers: [string, string][] = []
  for (const [name, value] of Object.entries(content)) {
    const [, number, own] = /^question_(\d+)(_other)?$/.exec(name) ?? []
    if (number === undefined) continue
    const index = String(Number(number) - 1)
    const said = Array.isArray(value) ? value.join(', ') : String(value)
    const before = answers.find(([key]) => key === index)
    if (!before) answers.push([index, said])
    else if (own) before[1] = `${before[1]}: ${said}`
  }
  return {
    outcome: { outcome: 'selected', optionId: submit },
    answers: Object.fromEntries(answers),
  } as RequestPermissionResponse
}

/** The agent's answer if the user declines. */
export const refusal = ({ refuse }: Wrapped): RequestPermissionResponse =>
  refuse === null
    ? { outcome: { outcome: 'cancelled' } }
    : { outcome: { outcome: 'selected', optionId: refuse } }
