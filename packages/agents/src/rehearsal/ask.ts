import type {
  PermissionOption,
  RequestPermissionRequest,
  ToolCallUpdate,
  ToolKind,
} from '@agentclientprotocol/sdk'
import type { Stage } from './stage.ts'

type Question = { question: string; options: readonly string[]; fallback: string | null }

/** The answer of whoever is asked; null when they would not, or could not, answer. */
export async function ask(stage: Stage, { question, options, fallback }: Question): Promise<string | null> {
  const { client, sessionId, capabilities } = stage.turn
  if (capabilities.elicitation?.form) {
    const answer = {
      type: 'string' as const,
      title: question,
      ...(options.length > 0 && { oneOf: options.map((option) => ({ const: option, title: option })) }),
      ...(fallback !== null && { default: fallback }),
    }
    const reply = await client.request(
      'elicitation/create',
      {
        mode: 'form',
        sessionId,
        message: question,
        requestedSchema: { type: 'object', properties: { answer }, required: ['answer'] },
      },
      untilCancelled(stage),
    )
    const content = reply.action === 'accept' ? (reply.content as Record<string, unknown> | null) : null
    return content?.answer === undefined ? null : String(content.answer)
  }
  const named = options.map((name, at) => ({
    optionId: `answer-${at + 1}`,
    name,
    kind: 'allow_once' as const,
  }))
  const chosen = await choose(stage, { toolCallId: nextCallId(stage), title: question, kind: 'other' }, named)
  return named.find(({ optionId }) => optionId === chosen)?.name ?? null
}

const deedsOf: Partial<Record<ToolKind, string>> = {
  edit: 'edits',
  delete: 'deletions',
  move: 'renames',
  execute: 'commands',
}

/** Whether the call may be made; "always" counts for its kind as long as the session lives. */
export async function mayDo(stage: Stage, call: ToolCallUpdate & { kind: ToolKind }): Promise<boolean> {
  const before = stage.state.always[call.kind]
  if (before) return before === 'allow'
  const deeds = deedsOf[call.kind] ?? 'of these'
  const chosen = await choose(stage, call, [
    { optionId: 'allow-once', name: 'Allow', kind: 'allow_once' },
    { optionId: 'allow-always', name: `Allow all ${deeds} in this session`, kind: 'allow_always' },
    { optionId: 'reject-once', name: 'Reject', kind: 'reject_once' },
    { optionId: 'reject-always', name: `Reject all ${deeds} in this session`, kind: 'reject_always' },
  ])
  const allowed = chosen === 'allow-once' || chosen === 'allow-always'
  if (chosen?.endsWith('-always'))
    stage.change({ always: { ...stage.state.always, [call.kind]: allowed ? 'allow' : 'reject' } })
  return allowed
}

/** An id for a tool call, counted. */
export function nextCallId(stage: Stage): string {
  stage.change({ calls: stage.state.calls + 1 })
  return `call-${stage.state.calls}`
}

async function choose(
  stage: Stage,
  toolCall: ToolCallUpdate,
  options: PermissionOption[],
): Promise<string | null> {
  const { client, sessionId } = stage.turn
  const request: RequestPermissionRequest = { sessionId, toolCall, options }
  const { outcome } = await client.request('session/request_permission', request, untilCancelled(stage))
  return outcome.outcome === 'selected' ? outcome.optionId : null
}

// Without it a cancelled turn would wait for a person who has already turned away.
const untilCancelled = (stage: Stage) => ({
  cancellationSignal: stage.turn.signal,
  stopWaitingOnCancel: true,
})
