import type { Socket } from 'node:net'
import type { Dice } from './dice.ts'

/** One direction of a connection: what is read here is written there, as long as it is open. */
export class BadPipe {
  readonly #from: Socket
  readonly #to: Socket
  #held = false
  #closed = false
  #trickle: Dice | null = null
  #dripping: Buffer = Buffer.alloc(0)

  /** `pass` says how many of so many bytes may go through before `strike` has to be called. */
  constructor(from: Socket, to: Socket, pass: (bytes: number) => number, strike: () => void) {
    this.#from = from
    this.#to = to
    from.on('data', (bytes) => {
      if (this.#closed) return
      const allowed = pass(bytes.length)
      this.#write(bytes.subarray(0, allowed))
      if (allowed === bytes.length) return
      strike()
      // What only hurts must not lose anything.
      this.#write(bytes.subarray(allowed))
    })
    from.on('end', () => {
      if (!this.#closed) to.end()
    })
    to.on('drain', () => this.#flow())
  }

  /** Keeps back what comes, until it is released. */
  hold(): void {
    this.#held = true
    this.#from.pause()
  }

  release(): void {
    this.#held = false
    this.#flow()
  }

  /** Swallows what comes from now on. Not reading at all would hide that the other side has gone. */
  close(): void {
    this.#closed = true
    this.#from.resume()
  }

  /** Lets nothing through from now on, and reads nothing, so that the sender notices only that it cannot send. */
  stall(): void {
    this.#closed = true
    this.hold()
  }

  /** Lets bytes through by ones and tens from now on; null ends it. */
  trickle(dice: Dice | null): void {
    this.#trickle = dice
  }

  #write(bytes: Buffer): void {
    if (bytes.length === 0 || !this.#writable()) return
    // What is still dripping comes first, or the bytes would change places.
    if (this.#dripping.length > 0) this.#dripping = Buffer.concat([this.#dripping, bytes])
    else if (this.#trickle) this.#drip(bytes, this.#trickle)
    else if (!this.#to.write(bytes)) this.#from.pause()
  }

  #drip(bytes: Buffer, dice: Dice): void {
    this.#from.pause()
    const size = dice.between(1, 60)
    this.#dripping = bytes.subarray(size)
    this.#to.write(bytes.subarray(0, size))
    if (this.#dripping.length === 0) this.#flow()
    else setImmediate(() => this.#writable() && this.#drip(this.#dripping, dice))
  }

  #writable(): boolean {
    return !this.#closed && !this.#to.destroyed && !this.#to.writableEnded
  }

  #flow(): void {
    if (!this.#held && this.#dripping.length === 0 && !this.#to.writableNeedDrain) this.#from.resume()
  }
}
