import type { InputNeeded } from '@farhand/protocol/delegated/delegated-tasks'
import { DelegatedTaskId, QuestionId } from '@farhand/protocol/wire/ids'
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'

const entry = 'answer'
const mostPrompt = 4_000

// The host gives it back with the answer and could change it: it names only what its user could name anyway.
const Asked = z.object({ task: DelegatedTaskId, question: QuestionId })

export type Asked = z.infer<typeof Asked>

/** What the host can do for this call; in the newest protocol each request says it. */
export function capabilitiesOf(server: McpServer, ctx: ServerContext): ClientCapabilities {
  const envelope = ctx.mcpReq.envelope as Record<string, unknown> | undefined
  const said = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities()
  return (said as ClientCapabilities | undefined) ?? {}
}

/** Whether the host can show its user a form; one that declares no mode has forms. */
export function canAskUser({ elicitation }: ClientCapabilities): boolean {
  return (
    elicitation !== undefined && (elicitation.form !== undefined || Object.keys(elicitation).length === 0)
  )
}

/** The result that has the host ask its user; the host then calls the tool again with the answer. */
export function askUser(task: DelegatedTaskId, { question_id, prompt, options, kind }: InputNeeded) {
  const asks = kind === 'permission' ? 'The cloud agent asks for a permission' : 'The cloud agent asks'
  const answer = {
    type: 'string' as const,
    title: 'Answer',
    ...(options.length > 0 ? { enum: [...new Set(options)] } : { minLength: 1 }),
  }
  const asked: Asked = { task, question: question_id }
  return inputRequired({
    inputRequests: {
      [entry]: inputRequired.elicit({
        message: `${asks}: ${prompt.slice(0, mostPrompt)}`,
        requestedSchema: { type: 'object', properties: { answer }, required: ['answer'] },
      }),
    },
    requestState: JSON.stringify(asked),
  })
}

/** What the user was asked in an earlier round of this call, and their answer; `answer` is null if they gave none. */
export function userAnswer(ctx: ServerContext): (Asked & { answer: string | null }) | null {
  const state = ctx.mcpReq.requestState<string>()
  if (state === undefined) return null
  const asked = Asked.parse(JSON.parse(state))
  const response = inputResponse(ctx.mcpReq.inputResponses, entry)
  const said = response.kind === 'elicit' && response.action === 'accept' ? response.content?.answer : null
  return { ...asked, answer: typeof said === 'string' && said !== '' ? said : null }
}
