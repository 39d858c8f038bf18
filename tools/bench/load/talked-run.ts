import { type Hub, type HubRun, newRun } from '../peers/hub.ts'
import { type Said, turnOfAgent } from './long-talk.ts'

/** A run as a person has it after a day: turn after turn of an agent that thinks, works and talks. */
export class TalkedRun {
  readonly #hub: Hub
  readonly #run: HubRun
  #seq = 0
  #turns = 0
  lastId = 0

  private constructor(hub: Hub, run: HubRun) {
    this.#hub = hub
    this.#run = run
  }

  static async begin(hub: Hub): Promise<TalkedRun> {
    return new TalkedRun(hub, await newRun(hub))
  }

  get id(): string {
    return this.#run.id
  }

  /** The whole log, at the hub that has it. */
  get log(): string {
    return this.#run.log(0).path
  }

  /** Turns that are over, until the log has at least so many events. */
  async fill(events: number): Promise<void> {
    while (this.lastId < events) {
      const messageId = await this.ask()
      await this.say([
        ...turnOfAgent(`turn-${this.#turns}`),
        { method: '_posthog/turn_complete', params: { messageId, stopReason: 'end_turn' } },
      ])
    }
  }

  /** A person asks for something, and the agent takes it on. */
  async ask(): Promise<number> {
    const content = `Please look at part ${++this.#turns} as well: something is wrong with its commas.`
    const asked = await this.#post(
      [{ method: '_posthog/user_message', params: { content } }],
      this.#hub.token,
    )
    await this.say([{ method: '_posthog/ack', params: { for: '_posthog/user_message', id: asked } }])
    return asked
  }

  /** What the agent says, all of it at once. */
  async say(said: readonly Said[]): Promise<void> {
    const stamp = {
      'Producer-Id': 'runner',
      'Producer-Epoch': String(this.#run.generation),
      'Producer-Seq': String(this.#seq),
    }
    this.#seq += said.length
    const token = this.#run.post.headers!.Authorization!.replace('Bearer ', '')
    await this.#post(said, token, stamp)
  }

  async #post(said: readonly Said[], token: string, more: Record<string, string> = {}): Promise<number> {
    const { port, path } = this.#run.post
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/x-ndjson', ...more },
      body: said.map((one) => `${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`).join(''),
    })
    if (!answer.ok) throw new Error(`POST ${path} was answered ${answer.status}: ${await answer.text()}`)
    const { lastEventId } = (await answer.json()) as { lastEventId: number }
    this.lastId = lastEventId
    return lastEventId
  }
}
