import type { Socket } from 'node:net'
import type { Dice } from './dice.ts'

/** One direction of a connection: copies bytes from one socket to the other until it is closed. */
export class BadPipe {
  readonly #from: Socket
  readonly #to: Socket
  #held = false
  #closed = false
  #trickle: Dice | null = null
  #dripping: Buffer = Buffer.alloc(0)

  /** `pass` returns how many of these bytes may go through before `strike` has to be called. */
  constructor(from: Socket, to: Socket, pass: (bytes: number) => number, strike: () => void) {
    this.#from = from
    this.#to = to
    from.on('data', (bytes) => {
      if (this.#closed) return
      const allowed = pass(bytes.length)
      this.#write(bytes.subarray(0, allowed))
      if (allowed === bytes.length) return
      strike()
      // A mishap that does not end the connection must not lose bytes.
      this.#write(bytes.subarray(allowed))
    })
    from.on('end', () => {
      if (!this.#closed) to.end()
    })
    to.on('drain', () => this.#flow())
  }

  /** Holds back bytes until `release`. */
  hold(): void {
    this.#held = true
    this.#from.pause()
  }

  release(): void {
    this.#held = false
    this.#flow()
  }

  /** Discards bytes from now on. Without reading, it would not notice that the other side has gone. */
  close(): void {
    this.#closed = true
    this.#from.resume()
  }

  /** Reads nothing from now on, so that the sender notices only that it cannot send. */
  stall(): void {
    this.#closed = true
    this.hold()
  }

  /** Passes only a few bytes at a time from now on; null ends that. */
  trickle(dice: Dice | null): void {
    this.#trickle = dice
  }

  #write(bytes: Buffer): void {
    if (bytes.length === 0 || !this.#writable()) return
    // Waiting bytes go first, to keep their order.
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
