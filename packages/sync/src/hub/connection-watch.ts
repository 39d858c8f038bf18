import type { FollowState } from '@farhand/client/follow/follow'
import type { Connection } from '../engine/hub-folder.ts'

/** One request to the hub, with its retries. */
export type Attempt = {
  onTrouble: (trouble: unknown, retryMs: number) => void
  /** The request works again, or is over. */
  recovered: () => void
}

/** Reports whether the hub can be reached: as the reader of the log finds it, unless another request fails. */
export class ConnectionWatch {
  readonly #on: (state: Connection) => void
  readonly #troubles = new Map<Attempt, Extract<Connection, { is: 'offline' }>>()
  #reading: Connection = { is: 'connecting' }
  #said = ''

  constructor(on: (state: Connection) => void) {
    this.#on = on
  }

  reading(state: FollowState): void {
    const wasLive = this.#reading.is === 'live'
    this.#reading = asConnection(state)
    // The reader has just been answered: a writer's older trouble only waits for its next try.
    if (!wasLive && this.#reading.is === 'live')
      for (const [attempt, trouble] of this.#troubles)
        this.#troubles.set(attempt, { ...trouble, listening: true })
    this.#say()
  }

  attempt(): Attempt {
    const attempt: Attempt = {
      onTrouble: (trouble, retryMs) => {
        const why = trouble instanceof Error ? trouble.message : String(trouble)
        this.#troubles.set(attempt, { is: 'offline', why, retryAt: Date.now() + retryMs })
        this.#say()
      },
      recovered: () => {
        if (this.#troubles.delete(attempt)) this.#say()
      },
    }
    return attempt
  }

  #say(): void {
    const [trouble] = this.#troubles.values()
    // What the reader knows about the connection is newer than a writer's last error.
    const state = this.#reading.is === 'live' ? (trouble ?? this.#reading) : this.#reading
    const text = JSON.stringify(state)
    if (text === this.#said) return
    this.#said = text
    this.#on(state)
  }
}

function asConnection(state: FollowState): Connection {
  switch (state.is) {
    case 'connecting':
    case 'catching-up':
      return { is: 'connecting' }
    case 'live':
      return { is: 'live' }
    case 'offline':
      return { is: 'offline', why: 'there is no network', retryAt: null }
    case 'retrying':
      // A hub that asks to come back in a moment has not failed.
      if (state.failures === 0) return { is: 'connecting' }
      return { is: 'offline', why: state.why.message, retryAt: state.at }
  }
}
