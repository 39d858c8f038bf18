import type { PromptResponse, StopReason, UsageUpdate } from '@agentclientprotocol/sdk'
import { RequestError } from '@agentclientprotocol/sdk'
import type { LanguageModelUsage, ModelMessage } from 'ai'
import type { Turn } from '../acp-program.ts'
import { textContent } from '../text-content.ts'
import { askUser } from './ask-user.ts'
import { proposePlan, showPlan } from './call-plan.ts'
import { callTool, type Result } from './call-tool.ts'
import type { LoadedModel } from './model/load-model.ts'
import { nextStep } from './next-step.ts'
import { promptContent } from './prompt-content.ts'
import { type MadeCall, repeats } from './repeats.ts'
import { closeOpenCalls } from './sessions/close-open-calls.ts'
import type { Session } from './sessions/session.ts'
import { type Call, chunk, type Step } from './stream-step.ts'
import { systemPrompt } from './system-prompt.ts'
import { isSilent, toolsFor, workTool } from './toolbox.ts'

export type Around = {
  loaded: LoadedModel
  env: Readonly<Record<string, string>>
  guidance: Pick<Parameters<typeof systemPrompt>[0], 'instructions' | 'skills'>
  platform: string
  today: string
  /** How often the model is asked in one turn at most. */
  mostSteps: number
}

const nudge = 'This very call has been made several times with this very result. Do something else.'

/** Runs a turn until the model has nothing more to do, and reports everything on the way. */
export async function runTurn(session: Session, turn: Turn, around: Around): Promise<PromptResponse> {
  const { mostSteps } = around
  const work = new Work(session, turn, around)
  for (let steps = 0; steps < mostSteps; steps += 1) {
    const stopReason = await work.step(steps === 0)
    if (stopReason === null) continue
    // A message that was sent into the turn during the model's last answer still needs an answer.
    const goesOn = stopReason === 'end_turn' && steps + 1 < mostSteps && work.hear()
    if (!goesOn) return work.used.answer(stopReason)
  }
  await work.say(
    `I stop here: I have taken ${mostSteps} steps and am not done. Tell me to go on if I should.`,
  )
  return work.used.answer('max_turn_requests')
}

class Work {
  readonly used = new TokensUsed()
  readonly #session: Session
  readonly #turn: Turn
  readonly #around: Around
  readonly #madeCalls: MadeCall[] = []
  /** Calls that were announced and not made yet: the model's id of each, and the host's. */
  readonly #announced = new Map<string, string>()

  constructor(session: Session, turn: Turn, around: Around) {
    this.#session = session
    this.#turn = turn
    this.#around = around
  }

  say(words: string): Promise<void> {
    return this.#turn.update(chunk('agent_message_chunk', `\n\n${words}`))
  }

  /** Adds the messages sent into the turn to the conversation; returns whether there were any. */
  hear(): boolean {
    const said = this.#turn.takeSaid()
    for (const blocks of said)
      this.#session.note({ message: { role: 'user', content: promptContent(blocks) } })
    return said.length > 0
  }

  /** Gets one answer of the model and makes its calls; returns the stop reason if the turn is over. */
  async step(isFirst: boolean): Promise<StopReason | null> {
    try {
      this.hear()
      const step = await this.#ask()
      if (step.calls.length > 0) return await this.#makeCalls(step.calls)
      if (isFirst && !saysAnything(step)) throw saidNothing(this.#around.loaded.name)
      return stopReasons[step.finishReason] ?? 'end_turn'
    } catch (error) {
      await this.#closeCalls()
      throw error
    }
  }

  async #ask(): Promise<Step> {
    const { loaded, guidance, platform, today } = this.#around
    const { cwd, mode } = this.#session
    const step = await nextStep(this.#session, {
      loaded,
      system: systemPrompt({ cwd, platform, today, mode, ...guidance }),
      tools: toolsFor(mode, Boolean(this.#turn.capabilities.elicitation?.form)),
      turn: this.#turn,
      callBegins: (id, name) => this.#announce(id, name),
    })
    for (const message of step.messages) this.#session.note({ message })
    await this.#withdraw((id) => !step.calls.some(({ toolCallId }) => toolCallId === id))
    await this.#turn.update({ sessionUpdate: 'usage_update', ...this.used.add(step.usage, loaded.window) })
    return step
  }

  async #makeCalls(calls: readonly Call[]): Promise<StopReason | null> {
    for (const call of calls) {
      const result = await this.#makeCall(call)
      this.#madeCalls.push({ call: `${call.toolName} ${JSON.stringify(call.input)}`, result: result.text })
      const isStuck = repeats(this.#madeCalls)
      const text = isStuck === 'no' ? result.text : `${result.text}\n\n${nudge}`
      // The library has already answered a call it could not parse.
      if (call.invalid === null) this.#session.note({ message: resultMessage(call, { ...result, text }) })
      if (isStuck === 'stop') {
        await this.#closeCalls()
        await this.say('I stop here: I was doing the same thing again and again.')
        return 'max_turn_requests'
      }
    }
    return null
  }

  async #makeCall({ toolCallId, toolName, input, invalid }: Call): Promise<Result> {
    const [session, turn] = [this.#session, this.#turn]
    turn.signal.throwIfAborted()
    if (toolName === 'plan') return showPlan(input, turn)
    if (toolName === 'ask_user') return askUser(input, turn)
    const acpId = await this.#announce(toolCallId, toolName)
    this.#announced.delete(toolCallId)
    const tool = workTool(toolName)
    if (tool && invalid === null)
      return callTool(tool, input, { session, turn, env: this.#around.env, acpId })
    if (toolName === 'propose_plan' && invalid === null) return proposePlan(input, session, turn, acpId)
    const text = invalid ?? `There is no tool ${toolName}.`
    await turn.update({ ...failed(acpId), content: [textContent(text)], rawInput: input })
    return { text, failed: true }
  }

  async #announce(id: string, name: string): Promise<string> {
    const before = this.#announced.get(id)
    if (isSilent(name) || before !== undefined) return before ?? id
    const toolCallId = this.#session.callId(id)
    this.#announced.set(id, toolCallId)
    const kind = workTool(name)?.kind ?? 'other'
    await this.#turn.update({ sessionUpdate: 'tool_call', toolCallId, title: name, kind, status: 'pending' })
    return toolCallId
  }

  /** Ends every call that will not be made any more, for the host and for the model. */
  async #closeCalls(): Promise<void> {
    const { messages } = this.#session
    const whole = closeOpenCalls(messages, 'This was not done: the turn ended before.')
    for (const message of whole.slice(messages.length)) this.#session.note({ message })
    await this.#withdraw(() => true)
  }

  /** Ends announced calls; some were begun in an answer that broke off and was requested again. */
  async #withdraw(isOver: (id: string) => boolean): Promise<void> {
    for (const [id, toolCallId] of [...this.#announced]) {
      if (!isOver(id)) continue
      this.#announced.delete(id)
      await this.#turn.update(failed(toolCallId))
    }
  }
}

const stopReasons: Readonly<Record<string, StopReason>> = {
  length: 'max_tokens',
  'content-filter': 'refusal',
}

function saidNothing(model: string): RequestError {
  return new RequestError(-32603, `${model} answered with nothing. Try again, or another FARHAND_MODEL.`)
}

function resultMessage({ toolCallId, toolName }: Call, { text, failed: isError }: Result): ModelMessage {
  const output = { type: isError ? ('error-text' as const) : ('text' as const), value: text || '(nothing)' }
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] }
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

/** Counts the tokens of a turn as the provider reports them. Their cost is unknown and not guessed. */
class TokensUsed {
  #input = 0
  #output = 0
  #cacheRead = 0
  #cacheWrite = 0
  #thought = 0

  add(usage: LanguageModelUsage, size: number): UsageUpdate {
    const { inputTokens: input = 0, outputTokens: output = 0 } = usage
    this.#input += input
    this.#output += output
    this.#cacheRead += usage.inputTokenDetails?.cacheReadTokens ?? 0
    this.#cacheWrite += usage.inputTokenDetails?.cacheWriteTokens ?? 0
    this.#thought += usage.outputTokenDetails?.reasoningTokens ?? 0
    return { used: input + output, size }
  }

  answer(stopReason: StopReason): PromptResponse {
    const usage = {
      inputTokens: this.#input,
      outputTokens: this.#output,
      totalTokens: this.#input + this.#output,
      cachedReadTokens: this.#cacheRead,
      cachedWriteTokens: this.#cacheWrite,
      thoughtTokens: this.#thought,
    }
    return { stopReason, usage } as PromptResponse
  }
}
