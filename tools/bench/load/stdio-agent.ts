import { mkdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Child } from '../children.ts'
import type { TurnTimes } from './turn-times.ts'

type Frame = { id?: number; method?: string; result?: Record<string, unknown>; error?: { message: string } }
type Answer = { good: (result: Record<string, unknown>) => void; bad: (why: Error) => void }

/** Speaks ACP with an agent over its pipes and nothing else: what a turn takes when no road leads to it. */
export class StdioAgent {
  readonly #child: Child
  readonly #waiting = new Map<number, Answer>()
  #asked = 0
  #session: unknown
  #onUpdate: () => void = () => {}

  private constructor(child: Child) {
    this.#child = child
    createInterface({ input: child.process.stdout! }).on('line', (line) => this.#take(JSON.parse(line)))
    child.process.once('exit', () => {
      for (const { bad } of this.#waiting.values()) bad(new Error(`the agent ended: ${child.output()}`))
    })
  }

  /** The child has its standard input and output for this. */
  static async begin(child: Child, cwd: string): Promise<StdioAgent> {
    mkdirSync(cwd)
    const agent = new StdioAgent(child)
    await agent.#ask('initialize', { protocolVersion: 1, clientCapabilities: {} })
    const { sessionId } = await agent.#ask('session/new', { cwd, mcpServers: [] })
    agent.#session = sessionId
    return agent
  }

  async turn(text: string): Promise<TurnTimes> {
    let firstMs = Number.NaN
    this.#onUpdate = () => {
      firstMs = performance.now() - started
      this.#onUpdate = () => {}
    }
    const started = performance.now()
    await this.#ask('session/prompt', { sessionId: this.#session, prompt: [{ type: 'text', text }] })
    return { firstMs, wholeMs: performance.now() - started }
  }

  #ask(method: string, params: unknown): Promise<Record<string, unknown>> {
    const id = ++this.#asked
    const answer = new Promise<Record<string, unknown>>((good, bad) => this.#waiting.set(id, { good, bad }))
    this.#child.process.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return answer.finally(() => this.#waiting.delete(id))
  }

  #take({ id, method, result, error }: Frame): void {
    if (method === 'session/update') this.#onUpdate()
    const answer = id === undefined ? undefined : this.#waiting.get(id)
    if (error) answer?.bad(new Error(error.message))
    else answer?.good(result ?? {})
  }
}
