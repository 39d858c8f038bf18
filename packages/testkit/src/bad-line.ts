import type { Socket } from 'node:net'
import { BadPipe } from './bad-pipe.ts'
import type { Dice } from './dice.ts'
import { type Climate, drawFate, type Fate, isFatal, type Mishap } from './fate.ts'

/** One connection through a bad network, and its fate. */
export class BadLine {
  readonly #near: Socket
  readonly #far: Socket
  readonly #there: BadPipe
  readonly #back: BadPipe
  readonly #dice: Dice
  readonly #climate: Climate
  readonly #onMishap: (mishap: Mishap) => void
  #fate: Fate | null = null
  #left = 0
  #timer: NodeJS.Timeout | undefined

  /** `near` is whoever called, `far` is whom they called. */
  constructor(near: Socket, far: Socket, dice: Dice, climate: Climate, onMishap: (mishap: Mishap) => void) {
    this.#near = near
    this.#far = far
    this.#dice = dice
    this.#climate = climate
    this.#onMishap = onMishap
    const pass = (bytes: number) => this.#pass(bytes)
    const strike = () => this.#strike()
    this.#there = new BadPipe(near, far, pass, strike)
    this.#back = new BadPipe(far, near, pass, strike)
    for (const socket of [near, far]) {
      socket.setNoDelay(true)
      socket.on('close', () => this.end())
      socket.on('error', () => this.end())
    }
    this.#await(drawFate(dice, climate))
  }

  /** Nothing bad happens to it from now on. What has happened stays. */
  spare(): void {
    clearTimeout(this.#timer)
    this.#fate = null
    this.#there.trickle(null)
    this.#back.trickle(null)
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#near.destroy()
    this.#far.destroy()
  }

  #await(fate: Fate): void {
    this.#fate = fate
    this.#left = fate.afterBytes
    this.#timer = setTimeout(() => this.#strike(), fate.afterMs)
  }

  #pass(bytes: number): number {
    if (!this.#fate) return bytes
    const allowed = Math.min(bytes, this.#left)
    this.#left -= allowed
    return allowed
  }

  #strike(): void {
    const fate = this.#fate
    if (!fate || this.#near.destroyed) return
    clearTimeout(this.#timer)
    this.#fate = null
    this.#onMishap(fate.mishap)
    switch (fate.mishap) {
      case 'cut':
        this.end()
        return
      case 'reset':
        this.#near.resetAndDestroy()
        this.end()
        return
      case 'stall':
        this.#there.close()
        this.#back.stall()
        this.#near.once('end', () => this.end())
        return
      case 'half-close':
        this.#back.close()
        this.#near.end()
        return
      case 'deaf':
        this.#there.close()
        this.#far.end()
        return
      case 'delay':
        this.#there.hold()
        this.#back.hold()
        this.#timer = setTimeout(() => {
          this.#there.release()
          this.#back.release()
          this.#awaitWorse()
        }, fate.delayMs)
        return
      case 'trickle':
        this.#there.trickle(this.#dice)
        this.#back.trickle(this.#dice)
        this.#awaitWorse()
    }
  }

  /** What only hurt is not the end of the story, if there is a worse one. */
  #awaitWorse(): void {
    const [first, ...more] = this.#climate.mishaps.filter(isFatal)
    if (first) this.#await(drawFate(this.#dice, { ...this.#climate, mishaps: [first, ...more] }))
  }
}
