import type { PromptResponse, StopReason } from '@agentclientprotocol/sdk'
import { RequestError } from '@agentclientprotocol/sdk'
import type { ModelMessage } from 'ai'
import type { Turn } from '../acp-program.ts'
import { proposePlan, showPlan } from './call-plan.ts'
import { callTool, type Result } from './call-tool.ts'
import type { LoadedModel } from './load-model.ts'
import { mended } from './mended.ts'
import { nextStep } from './next-step.ts'
import { type Deed, repeats } from './repeats.ts'
import type { Session } from './session.ts'
import { type Call, chunk, type Step } from './stream-step.ts'
import { systemPrompt } from './system-prompt.ts'
import { TokensUsed } from './tokens-used.ts'
import { toolsFor, workTool } from './toolbox.ts'
import { textContent } from './tools/tool.ts'

export type Around = {
  loaded: LoadedModel
  env: Readonly<Record<string, string>>
  guidance: Pick<Parameters<typeof systemPrompt>[0], 'instructions' | 'skills'>
  platform: string
  today: string
}

const mostSteps = 200
const nudge = '\n\nThis very call has been made several times with this very result. Do something else.'

/** Works until the model has nothing more to do, and shows everything on the way. */
export async function runTurn(session: Session, turn: Turn, around: Around): Promise<PromptResponse> {
  const { loaded } = around
  const used = new TokensUsed()
  const deeds: Deed[] = []
  for (let steps = 0; steps < mostSteps; steps += 1) {
    const shown = new Map<string, string>()
    const { guidance, platform, today } = around
    const { cwd, mode } = session
    const step = await withEnds(shown, turn, () =>
      nextStep(session, {
        loaded,
        system: systemPrompt({ cwd, platform, today, mode, ...guidance }),
        tools: toolsFor(mode),
        turn,
        callBegins: (id, name) => beginCall(id, name, session, turn, shown),
      }),
    )
    for (const message of step.messages) session.note({ message })
    await turn.update({ sessionUpdate: 'usage_update', ...used.add(step.usage, loaded.window) })
    if (step.calls.length === 0) {
      if (steps === 0 && !saysAnything(step))
        throw new RequestError(
          -32603,
          `${loaded.name} answered with nothing. Try again, or another FARHAND_MODEL.`,
        )
      return used.answer(stopReasons[step.finishReason] ?? 'end_turn')
    }
    for (const call of step.calls) {
      const result = await withResults(session, () => makeCall(call, session, turn, around, shown))
      deeds.push({ call: `${call.toolName} ${JSON.stringify(call.input)}`, result: result.text })
      const isStuck = repeats(deeds)
      // The library has answered what it could not read by itself.
      if (call.invalid === null)
        noteResult(session, call, isStuck === 'no' ? result : { ...result, text: result.text + nudge })
      if (isStuck === 'stop') {
        await turn.update(
          chunk('agent_message_chunk', '\n\nI stop here: I was doing the same thing again and again.'),
        )
        return used.answer('max_turn_requests')
      }
    }
  }
  const words = `\n\nI stop here: that were ${mostSteps} steps, and I am not done. Tell me to go on if I should.`
  await turn.update(chunk('agent_message_chunk', words))
  return used.answer('max_turn_requests')
}

const stopReasons: Readonly<Record<string, StopReason>> = {
  length: 'max_tokens',
  'content-filter': 'refusal',
}

async function makeCall(
  { toolCallId, toolName, input, invalid }: Call,
  session: Session,
  turn: Turn,
  { env }: Around,
  shown: Map<string, string>,
): Promise<Result> {
  turn.signal.throwIfAborted()
  if (toolName === 'plan') return showPlan(input, turn)
  await beginCall(toolCallId, toolName, session, turn, shown)
  const acpId = shown.get(toolCallId) ?? toolCallId
  shown.delete(toolCallId)
  const tool = workTool(toolName)
  if (tool && invalid === null) return callTool(tool, input, { session, turn, env, acpId })
  if (toolName === 'propose_plan' && invalid === null) return proposePlan(input, session, turn, acpId)
  const text = invalid ?? `There is no tool ${toolName}.`
  await turn.update({ ...failed(acpId), content: [textContent(text)], rawInput: input })
  return { text, failed: true }
}

async function beginCall(
  id: string,
  name: string,
  session: Session,
  turn: Turn,
  shown: Map<string, string>,
): Promise<void> {
  if (name === 'plan' || shown.has(id)) return
  const toolCallId = session.callId(id)
  shown.set(id, toolCallId)
  const kind = workTool(name)?.kind ?? 'other'
  await turn.update({ sessionUpdate: 'tool_call', toolCallId, title: name, kind, status: 'pending' })
}

/** Calls whose input never came to its end are shown as failed. */
async function withEnds(shown: Map<string, string>, turn: Turn, work: () => Promise<Step>): Promise<Step> {
  try {
    return await work()
  } catch (error) {
    for (const toolCallId of shown.values()) await turn.update(failed(toolCallId))
    throw error
  }
}

/** However a call ends, the conversation stays one that providers accept. */
async function withResults(session: Session, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const whole = mended(session.messages, 'The person cancelled this.')
    for (const message of whole.slice(session.messages.length)) session.note({ message })
    throw error
  }
}

function noteResult(
  session: Session,
  { toolCallId, toolName }: Call,
  { text, failed: isError }: Result,
): void {
  const output = { type: isError ? ('error-text' as const) : ('text' as const), value: text || '(nothing)' }
  const message: ModelMessage = {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId, toolName, output }],
  }
  session.note({ message })
}

function saysAnything(step: Step): boolean {
  return step.messages.some(({ content }) =>
    typeof content === 'string'
      ? content !== ''
      : content.some((part) => part.type === 'text' && part.text !== ''),
  )
}

const failed = (toolCallId: string) => ({
  sessionUpdate: 'tool_call_update' as const,
  toolCallId,
  status: 'failed' as const,
})
