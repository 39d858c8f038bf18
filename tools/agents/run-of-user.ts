import process from 'node:process'
import { expect, vi } from 'vitest'
import { agentAndRunner } from './agent-processes.ts'
import type { LoggedEvent, User } from './user.ts'

/** How a turn ended, after how many acks of its message, and what the agent said in it. */
export type SeenEnd = { stopReason: unknown; acks: number; said: string }

// Only what hangs comes to it, even on a busy machine.
const soon = <Result>(look: () => Result) => vi.waitFor(look, { timeout: 120_000, interval: 100 })

let works = 0

/** A run that a user has begun and left to itself, as they see it: with the command, in its folder and in its log. */
export class RunOfUser {
  readonly id: string
  readonly #user: User
  #isClosed = false

  private constructor(id: string, user: User) {
    this.id = id
    this.#user = user
  }

  /** Begins one, and resolves when its agent has answered the first message. */
  static async begin(
    user: User,
    agent: string,
    words: readonly string[],
    message: string,
  ): Promise<RunOfUser> {
    let id: string | undefined
    const begin = ['run', '--agent', agent, ...words, '--policy', 'allow-all', '--detach', '--json', message]
    const said = await user.farhand(begin, (line) => {
      if (line.event === 'run') id = line.run
    })
    if (id === undefined) throw new Error(`no run was begun: ${said}`)
    const run = new RunOfUser(id, user)
    const first = await soon(() => run.#found('_posthog/user_message').id)
    expect(await run.end(first)).toMatchObject({ stopReason: 'end_turn' })
    return run
  }

  /** Sends a message, and gives its id. */
  async sends(message: string): Promise<number> {
    let sent: number | undefined
    const said = await this.#user.farhand(['send', this.id, '--json', message], ({ event, messageId }) => {
      if (event === 'sent') sent = messageId
    })
    if (sent === undefined) throw new Error(`it was not sent: ${said}`)
    return sent
  }

  /** Has the agent run a command that goes on until it is released; resolves when that is at work. */
  async busy(): Promise<{ message: number; word: string; release(): void }> {
    const work = `work-${++works}`
    const word = `that was ${work}`
    const command = `touch ${work}-begun; until test -e ${work}-released; do sleep 0.1; done`
    const message = await this.sends(`run: ${command}\nsay: ${word}`)
    await soon(() => expect(this.#user.text(`${work}-begun`), this.story).toBe(''))
    return { message, word, release: () => this.#user.write(`${work}-released`, '') }
  }

  /** What the agent says to a message. */
  async answer(message: string): Promise<string> {
    const { said, stopReason } = await this.end(await this.sends(message))
    expect(stopReason).toBe('end_turn')
    return said
  }

  /** How the turn of this message ends, as soon as it has; there is one end, however often it was begun. */
  async end(message: number): Promise<SeenEnd> {
    await soon(() => expect(this.#ends(message), this.story).toHaveLength(1))
    const [end] = this.#ends(message)
    const events = this.#user.events(this.id)
    const begin = events.find((event) => isAck(event, message))!.id
    const said = events
      .filter(
        ({ id, notification: { method } }) => id > begin && id < end!.id && method === 'agent_message_chunk',
      )
      .map(({ notification: { params } }) => String(params.text))
    return { stopReason: end!.notification.params.stopReason, acks: this.acks(message), said: said.join('') }
  }

  acks(message: number): number {
    return this.#user.events(this.id).filter((event) => isAck(event, message)).length
  }

  async isAcked(message: number, times: number): Promise<void> {
    await soon(() => expect(this.acks(message), this.story).toBe(times))
  }

  count(method: string): number {
    return this.#user.events(this.id).filter((event) => event.notification.method === method).length
  }

  async processes(): Promise<{ agent: number; runner: number }> {
    return await soon(() => {
      const found = agentAndRunner(this.id)
      if (!found) throw new Error(`the agent of ${this.id} does not run`)
      return found
    })
  }

  /** Kills the hub, and uses the command as its user would: that starts the next one. */
  async killHub(): Promise<void> {
    const before = this.#user.hubPid!
    process.kill(before, 'SIGKILL')
    await soon(() => expect(this.#user.hubPid).not.toBe(before))
    await this.#user.farhand(['status', this.id])
    await soon(() => expect([null, before]).not.toContain(this.#user.hubPid))
  }

  /** Comes back to a run here whose runner has died: that starts the next one. */
  async comesBack(dead: number): Promise<void> {
    await soon(() => expect(() => process.kill(dead, 0)).toThrow())
    await this.#user.farhand(['run', '--run', this.id, '--detach', '--json'])
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#user.farhand(['close', this.id])
  }

  /** The events of the log in short, for the report of a failed test. */
  get story(): string {
    const events = this.#user.events(this.id)
    return events.map((event) => JSON.stringify([event.id, event.notification]).slice(0, 300)).join('\n')
  }

  #ends(message: number): LoggedEvent[] {
    return this.#user
      .events(this.id)
      .filter(
        ({ notification: { method, params } }) =>
          method === '_posthog/turn_complete' && params.messageId === message,
      )
  }

  #found(method: string): LoggedEvent {
    return this.#user.events(this.id).find((event) => event.notification.method === method)!
  }
}

const isAck = ({ notification: { method, params } }: LoggedEvent, message: number) =>
  method === '_posthog/ack' && params.id === message
