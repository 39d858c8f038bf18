import type {
  PermissionOption,
  RequestPermissionRequest,
  ToolCallUpdate,
  ToolKind,
} from '@agentclientprotocol/sdk'
import { askForm, untilCancelled } from '../ask-form.ts'
import type { Stage } from './stage.ts'

type Question = { question: string; options: readonly string[]; fallback: string | null }

/** The user's answer; null if they declined or could not answer. */
export async function ask(stage: Stage, { question, options, fallback }: Question): Promise<string | null> {
  if (stage.turn.capabilities.elicitation?.form) {
    const choices = options.map((label) => ({ label }))
    return askForm(stage.turn, question, choices, fallback)
  }
  const named = options.map((name, at) => ({
    optionId: `answer-${at + 1}`,
    name,
    kind: 'allow_once' as const,
  }))
  const chosen = await choose(stage, { toolCallId: nextCallId(stage), title: question, kind: 'other' }, named)
  return named.find(({ optionId }) => optionId === chosen)?.name ?? null
}

const namesOfActions: Partial<Record<ToolKind, string>> = {
  edit: 'edits',
  delete: 'deletions',
  move: 'renames',
  execute: 'commands',
}

/** Whether the call may be made; "always" holds for calls of its kind in this session. */
export async function mayDo(stage: Stage, call: ToolCallUpdate & { kind: ToolKind }): Promise<boolean> {
  const before = stage.state.always[call.kind]
  if (before) return before === 'allow'
  const actions = namesOfActions[call.kind] ?? 'of these'
  const chosen = await choose(stage, call, [
    { optionId: 'allow-once', name: 'Allow', kind: 'allow_once' },
    { optionId: 'allow-always', name: `Allow all ${actions} in this session`, kind: 'allow_always' },
    { optionId: 'reject-once', name: 'Reject', kind: 'reject_once' },
    { optionId: 'reject-always', name: `Reject all ${actions} in this session`, kind: 'reject_always' },
  ])
  const allowed = chosen === 'allow-once' || chosen === 'allow-always'
  if (chosen?.endsWith('-always'))
    stage.change({ always: { ...stage.state.always, [call.kind]: allowed ? 'allow' : 'reject' } })
  return allowed
}

/** The next id for a tool call. */
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
  const { outcome } = await client.request('session/request_permission', request, untilCancelled(stage.turn))
  return outcome.outcome === 'selected' ? outcome.optionId : null
}
