import type { Socket } from 'node:net'
import { BadPipe } from './bad-pipe.ts'
import type { Dice } from './dice.ts'
import { isFatal, type Mishap, type NetworkConditions, type PlannedMishap, planMishap } from './mishaps.ts'

/** One connection through a bad network, and the mishap planned for it. */
export class BadConnection {
  readonly #near: Socket
  readonly #far: Socket
  readonly #toServer: BadPipe
  readonly #toClient: BadPipe
  readonly #dice: Dice
  readonly #conditions: NetworkConditions
  readonly #onMishap: (mishap: Mishap) => void
  #planned: PlannedMishap | null = null
  #left = 0
  #timer: NodeJS.Timeout | undefined

  /** `near` is the socket of the client, `far` that of the server. */
  constructor(
    near: Socket,
    far: Socket,
    dice: Dice,
    conditions: NetworkConditions,
    onMishap: (mishap: Mishap) => void,
  ) {
    this.#near = near
    this.#far = far
    this.#dice = dice
    this.#conditions = conditions
    this.#onMishap = onMishap
    const pass = (bytes: number) => this.#pass(bytes)
    const strike = () => this.#strike()
    this.#toServer = new BadPipe(near, far, pass, strike)
    this.#toClient = new BadPipe(far, near, pass, strike)
    for (const socket of [near, far]) {
      socket.setNoDelay(true)
      socket.on('close', () => this.end())
      socket.on('error', () => this.end())
    }
    this.#await(planMishap(dice, conditions))
  }

  /** No more mishaps from now on; one that has happened is not undone. */
  spare(): void {
    clearTimeout(this.#timer)
    this.#planned = null
    this.#toServer.trickle(null)
    this.#toClient.trickle(null)
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#near.destroy()
    this.#far.destroy()
  }

  #await(planned: PlannedMishap): void {
    this.#planned = planned
    this.#left = planned.afterBytes
    this.#timer = setTimeout(() => this.#strike(), planned.afterMs)
  }

  #pass(bytes: number): number {
    if (!this.#planned) return bytes
    const allowed = Math.min(bytes, this.#left)
    this.#left -= allowed
    return allowed
  }

  #strike(): void {
    const planned = this.#planned
    if (!planned || this.#near.destroyed) return
    clearTimeout(this.#timer)
    this.#planned = null
    this.#onMishap(planned.mishap)
    switch (planned.mishap) {
      case 'cut':
        this.end()
        return
      case 'reset':
        this.#near.resetAndDestroy()
        this.end()
        return
      case 'stall':
        this.#toServer.close()
        this.#toClient.stall()
        this.#near.once('end', () => this.end())
        return
      case 'half-close':
        this.#toClient.close()
        this.#near.end()
        return
      case 'deaf':
        this.#toServer.close()
        this.#far.end()
        return
      case 'delay':
        this.#toServer.hold()
        this.#toClient.hold()
        this.#timer = setTimeout(() => {
          this.#toServer.release()
          this.#toClient.release()
          this.#awaitFatal()
        }, planned.delayMs)
        return
      case 'trickle':
        this.#toServer.trickle(this.#dice)
        this.#toClient.trickle(this.#dice)
        this.#awaitFatal()
    }
  }

  /** After a mishap that did not end the connection, plans one that does, if the conditions have one. */
  #awaitFatal(): void {
    const [first, ...more] = this.#conditions.mishaps.filter(isFatal)
    if (first) this.#await(planMishap(this.#dice, { ...this.#conditions, mishaps: [first, ...more] }))
  }
}
