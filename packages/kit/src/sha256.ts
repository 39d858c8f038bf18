// The first 32 bits of the fractions of the cube roots of the first 64 primes, and of the square roots of the first eight.
const [rounds, start] = constants()

/** Bytes that are hashed before it yields to the event loop. */
const slice = 512 * 1024

/**
 * The SHA-256 of bytes, for pages that came over plain http, where browsers offer no crypto. Yields to the
 * event loop in between.
 */
export async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  const state = start.slice()
  const words = new Int32Array(64)
  const whole = bytes.length - (bytes.length % 64)
  for (let at = 0; at < whole; at += 64) {
    if (at > 0 && at % slice === 0) await new Promise((resolve) => setTimeout(resolve, 0))
    mix(state, words, bytes, at)
  }
  const end = ending(bytes, whole)
  for (let at = 0; at < end.length; at += 64) mix(state, words, end, at)
  const digest = new DataView(new ArrayBuffer(32))
  state.forEach((word, nth) => void digest.setInt32(4 * nth, word))
  return new Uint8Array(digest.buffer)
}

/** What is left, a one, zeros, and how many bits there were in all. */
function ending(bytes: Uint8Array, from: number): Uint8Array {
  const rest = bytes.subarray(from)
  const end = new Uint8Array(rest.length < 56 ? 64 : 128)
  end.set(rest)
  end[rest.length] = 0x80
  const bits = new DataView(end.buffer)
  bits.setUint32(end.length - 8, Math.floor(bytes.length / 2 ** 29))
  bits.setUint32(end.length - 4, (bytes.length * 8) % 2 ** 32)
  return end
}

const turn = (word: number, by: number) => (word >>> by) | (word << (32 - by))

function mix(state: Int32Array, words: Int32Array, bytes: Uint8Array, at: number): void {
  for (let nth = 0; nth < 16; nth += 1) {
    const from = at + 4 * nth
    words[nth] = (bytes[from]! << 24) | (bytes[from + 1]! << 16) | (bytes[from + 2]! << 8) | bytes[from + 3]!
  }
  for (let nth = 16; nth < 64; nth += 1) {
    const near = words[nth - 2]!
    const far = words[nth - 15]!
    const small = turn(far, 7) ^ turn(far, 18) ^ (far >>> 3)
    const large = turn(near, 17) ^ turn(near, 19) ^ (near >>> 10)
    words[nth] = words[nth - 16]! + small + words[nth - 7]! + large
  }
  let a = state[0]!
  let b = state[1]!
  let c = state[2]!
  let d = state[3]!
  let e = state[4]!
  let f = state[5]!
  let g = state[6]!
  let h = state[7]!
  for (let nth = 0; nth < 64; nth += 1) {
    const one = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)
    const first = (h + one + ((e & f) ^ (~e & g)) + rounds[nth]! + words[nth]!) | 0
    const two = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)
    const second = (two + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  state[0]! += a
  state[1]! += b
  state[2]! += c
  state[3]! += d
  state[4]! += e
  state[5]! += f
  state[6]! += g
  state[7]! += h
}

function constants(): [Int32Array, Int32Array] {
  const primes: number[] = []
  for (let one = 2; primes.length < 64; one += 1)
    if (primes.every((prime) => one % prime !== 0)) primes.push(one)
  const fraction = (root: number) => Math.floor((root - Math.floor(root)) * 2 ** 32)
  return [
    Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime))),
    Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
  ]
}
