import type { PromptResponse, StopReason, UsageUpdate } from '@agentclientprotocol/sdk'
import type { LanguageModelUsage } from 'ai'

/** Counts the tokens of a turn, as the provider reports them. What they cost is not known here, and not guessed. */
export class TokensUsed {
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
