import type { ContentBlock, PromptResponse } from '@agentclientprotocol/sdk'

/** A message sent into a turn, and the callback that tells its sender whether the turn has taken it. */
type Said = { prompt: ContentBlock[]; taken: (isTaken: boolean) => void }

/** The running turns: one at a time per session. A cancel also ends those that wait. */
export class SessionTurns {
  readonly #last = new Map<string, Promise<unknown>>()
  readonly #stops = new Map<string, Set<AbortController>>()
  readonly #said = new Map<string, Said[]>()

  /** The session's turns wait until `opening` is done or has failed. */
  begin(sessionId: string, opening: Promise<unknown>): void {
    this.#last.set(
      sessionId,
      opening.catch(() => {}),
    )
  }

  async take(
    sessionId: string,
    given: AbortSignal,
    work: (signal: AbortSignal) => Promise<PromptResponse>,
  ): Promise<PromptResponse> {
    const stop = new AbortController()
    const stops = this.#stops.get(sessionId) ?? new Set()
    this.#stops.set(sessionId, stops.add(stop))
    const signal = AbortSignal.any([stop.signal, given])
    const turn = (this.#last.get(sessionId) ?? Promise.resolve()).then(() => whole(signal, work))
    this.#last.set(
      sessionId,
      turn.catch(() => {}),
    )
    try {
      return await turn
    } finally {
      stops.delete(stop)
      this.#refuse(sessionId)
    }
  }

  /** Resolves with whether the running turn has taken the message: false if it ends before. */
  async say(sessionId: string, prompt: ContentBlock[]): Promise<boolean> {
    const stops = [...(this.#stops.get(sessionId) ?? [])]
    if (stops.length === 0 || stops.every(({ signal }) => signal.aborted)) return false
    return new Promise((taken) => {
      const said = this.#said.get(sessionId) ?? []
      this.#said.set(sessionId, said)
      said.push({ prompt, taken })
    })
  }

  takeSaid(sessionId: string): ContentBlock[][] {
    const said = this.#said.get(sessionId) ?? []
    this.#said.delete(sessionId)
    for (const { taken } of said) taken(true)
    return said.map(({ prompt }) => prompt)
  }

  cancel(sessionId: string): void {
    this.#refuse(sessionId)
    for (const stop of this.#stops.get(sessionId) ?? []) stop.abort()
  }

  async end(sessionId: string): Promise<void> {
    this.cancel(sessionId)
    await this.#last.get(sessionId)
    this.#last.delete(sessionId)
    this.#stops.delete(sessionId)
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#last.keys()].map((sessionId) => this.end(sessionId)))
  }

  #refuse(sessionId: string): void {
    for (const { taken } of this.#said.get(sessionId) ?? []) taken(false)
    this.#said.delete(sessionId)
  }
}

async function whole(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<PromptResponse>,
): Promise<PromptResponse> {
  try {
    if (signal.aborted) return { stopReason: 'cancelled' }
    const answer = await work(signal)
    return signal.aborted ? { ...answer, stopReason: 'cancelled' } : answer
  } catch (error) {
    // ACP requires that a cancelled turn ends as cancelled, with any error that it throws.
    if (signal.aborted) return { stopReason: 'cancelled' }
    throw error
  }
}
