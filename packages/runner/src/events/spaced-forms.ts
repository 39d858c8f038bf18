/** A secret in base64 or hex that may be printed with something between its letters, and its replacement. */
export type SpacedForm = { kind: 'base64' | 'hex'; text: string; mark: string }
export type FoundForm = { at: number; end: number; mark: string }
export type BegunForm = { at: number; length: number; mark: string }

/** More characters than this between two letters end a value. It bounds what a stream holds back. */
const mostBetween = 32
const between = 1
const stop = 0

/** For each ASCII character: its letter, or that it may stand between letters, or that it ends a value. */
function table(letterOf: (sign: string) => string | null, stops: RegExp): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => {
    const sign = String.fromCharCode(code)
    return letterOf(sign)?.charCodeAt(0) ?? (stops.test(sign) ? stop : between)
  })
}

const ofAddresses: Record<string, string> = { '-': '+', _: '/' }
const alphabets = {
  base64: table((sign) => ofAddresses[sign] ?? (/[A-Za-z0-9+/]/.test(sign) ? sign : null), /[^\s\S]/),
  // An "x" stands in `\x41`, `0x41` and `&#x41;`.
  hex: table((sign) => (/[0-9A-Fa-f]/.test(sign) ? sign.toLowerCase() : null), /[G-WYZg-wyz]/),
}

/** The length of an escape that would otherwise be read as letters: `\n` in JSON, `0x`, `\u00`. */
function escapeAt(text: string, at: number, kind: SpacedForm['kind']): number {
  const sign = text.charCodeAt(at)
  const next = text.charAt(at + 1)
  if (sign === 0x5c) {
    if (next === 'n' || next === 'r' || next === 't') return 2
    if (kind === 'hex' && next === 'u') return text.startsWith('00', at + 2) ? 4 : 2
  }
  return kind === 'hex' && sign === 0x30 && (next === 'x' || next === 'X') ? 2 : 0
}

/** A text reduced to the letters of an alphabet, with the index of each letter in the text. */
class Letters {
  readonly #forms: { form: SpacedForm; next: number }[]
  readonly #text: string
  readonly #at: Uint32Array
  /** Whether the last character is a letter, or begins an escape. */
  readonly #mayEndInEscape: boolean

  constructor(text: string, kind: SpacedForm['kind'], forms: readonly SpacedForm[]) {
    const letters = Buffer.allocUnsafe(text.length)
    const places = new Uint32Array(text.length)
    const alphabet = alphabets[kind]
    let [count, gap] = [0, 0]
    for (let at = 0; at < text.length; ) {
      const code = text.charCodeAt(at)
      const skip = code === 0x5c || code === 0x30 ? escapeAt(text, at, kind) : 0
      const letter = skip > 0 ? between : code < 128 ? alphabet[code]! : stop
      gap = letter > between ? 0 : gap + Math.max(1, skip)
      if (letter !== between || gap > mostBetween) {
        const isRepeated = letter <= between && count > 0 && letters[count - 1] === stop
        if (!isRepeated) {
          letters[count] = letter > between ? letter : stop
          places[count++] = at
        }
      }
      at += Math.max(1, skip)
    }
    this.#text = letters.toString('latin1', 0, count)
    this.#at = places.subarray(0, count)
    this.#forms = forms.map((form) => ({ form, next: this.#text.indexOf(form.text) }))
    this.#mayEndInEscape = kind === 'hex' && text.endsWith('0')
  }

  /** The first form from an index on, and the longest of several there. */
  find(from: number): FoundForm | null {
    let first: FoundForm | null = null
    for (const one of this.#forms) {
      if (one.next >= 0 && this.#at[one.next]! < from)
        one.next = this.#text.indexOf(one.form.text, this.#letterFrom(from))
      if (one.next < 0) continue
      const at = this.#at[one.next]!
      const end = this.#at[one.next + one.form.text.length - 1]! + 1
      if (first === null || at < first.at || (at === first.at && end > first.end))
        first = { at, end, mark: one.form.mark }
    }
    return first
  }

  /** The longest end of the text, from an index on, that is the beginning of a form. */
  begun(from: number): BegunForm | null {
    let first: BegunForm | null = null
    const lowest = this.#letterFrom(from)
    for (const { form } of this.#forms)
      for (const end of this.#mayEndInEscape ? [0, 1] : [0]) {
        const letters = this.#text.length - end
        const length = overlap(
          this.#text.slice(Math.max(lowest, letters - form.text.length + 1), letters),
          form.text,
        )
        const at = length > 0 ? this.#at[letters - length]! : -1
        if (at >= 0 && (first === null || at < first.at)) first = { at, length, mark: form.mark }
      }
    return first
  }

  /** The number of the first letter at or after an index. */
  #letterFrom(from: number): number {
    let [low, high] = [0, this.#at.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#at[middle]! < from) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** The length of the longest end of a text that is a beginning of the word, in linear time (Knuth-Morris-Pratt). */
function overlap(text: string, word: string): number {
  const fallback = new Uint32Array(word.length + 1)
  for (let at = 1, length = 0; at < word.length; at++) {
    while (length > 0 && word[at] !== word[length]) length = fallback[length]!
    if (word[at] === word[length]) length++
    fallback[at + 1] = length
  }
  let length = 0
  for (const letter of text) {
    while (length > 0 && (length === word.length || letter !== word[length])) length = fallback[length]!
    if (letter === word[length]) length++
  }
  return length
}

/** Finds encoded secrets in a text with separators between their letters: newlines, spaces, commas, `0x`. */
export class SpacedText {
  readonly #readings: Letters[]

  constructor(text: string, forms: readonly SpacedForm[]) {
    const kinds = ['base64', 'hex'] as const
    this.#readings = kinds.flatMap((kind) => {
      const own = forms.filter((form) => form.kind === kind)
      return own.length === 0 || text === '' ? [] : [new Letters(text, kind, own)]
    })
  }

  find(from: number): FoundForm | null {
    const all = this.#readings.flatMap((reading) => reading.find(from) ?? [])
    return all.sort((a, b) => a.at - b.at || b.end - a.end)[0] ?? null
  }

  begun(from: number): BegunForm[] {
    return this.#readings.flatMap((reading) => reading.begun(from) ?? [])
  }
}
