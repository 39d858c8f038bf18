import { secretForms, shortestSecret } from './secret-forms.ts'
import { wireWords } from './wire-words.ts'

export type NamedSecret = { name: string; value: string }

type Form = { text: string; mark: string }
type Found = { at: number; form: Form }

/** So much of a secret at the end of a text that was cut is as good as the whole. */
const tellingLength = 8

/** Knows some secrets, and what texts look like without them. */
export class Redaction {
  /** The longest first: one may be the beginning of another. */
  readonly #forms: readonly Form[]
  readonly #byFirst = new Map<string, Form[]>()
  readonly #longest: number

  constructor(secrets: readonly NamedSecret[]) {
    const known = secrets
      .filter(({ value }) => value.length >= shortestSecret)
      .flatMap(({ name, value }) => secretForms(value).map((text) => ({ name, text })))
    const texts = known.map(({ text }) => text)
    const forms = new Map<string, Form>()
    for (const { name, text } of known)
      if (!forms.has(text)) forms.set(text, { text, mark: markFor(name, texts) })
    this.#forms = [...forms.values()].sort((a, b) => b.text.length - a.text.length)
    this.#longest = this.#forms[0]?.text.length ?? 0
    for (const form of this.#forms) {
      const first = form.text.charAt(0)
      this.#byFirst.set(first, [...(this.#byFirst.get(first) ?? []), form])
    }
  }

  /** Whether there is nothing to look for. */
  get isEmpty(): boolean {
    return this.#forms.length === 0
  }

  /** Everything that is looked for. */
  get forms(): string[] {
    return this.#forms.map(({ text }) => text)
  }

  /** The same text with a mark in place of each secret; the very same if there is none in it. */
  text(text: string): string {
    let [clean, from] = ['', 0]
    const next = this.#search(text)
    for (let found = next(0); found; found = next(from)) {
      clean += text.slice(from, found.at) + found.form.mark
      from = found.at + found.form.text.length
    }
    return from === 0 ? text : clean + text.slice(from)
  }

  /** The same for a text that may have been cut in the middle of a secret. */
  cutText(text: string): string {
    const clean = this.text(text)
    const at = this.#beginning(clean, 0)
    if (at < 0 || clean.length - at < tellingLength) return clean
    const tail = clean.slice(at)
    const form = this.#byFirst.get(tail.charAt(0))?.find((form) => form.text.startsWith(tail))
    return clean.slice(0, at) + (form?.mark ?? '')
  }

  /** The same value without secrets in texts and names, at any depth; the very same if there is none in it. */
  value(value: unknown): unknown {
    if (typeof value === 'string') return unlessOfWire(value, this.cutText(value))
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) {
      const list = value.map((one) => this.value(one))
      return list.every((one, nth) => one === value[nth]) ? value : list
    }
    const members = Object.entries(value)
    const clean = members.map(
      ([name, one]) => [unlessOfWire(name, this.text(name)), this.value(one)] as const,
    )
    const isSame = clean.every(([name, one], nth) => name === members[nth]![0] && one === members[nth]![1])
    // Not by assignment: a member may be called __proto__.
    return isSame ? value : Object.fromEntries(clean)
  }

  /** What can be said of a text that goes on, and what may be the beginning of a secret. */
  split(text: string): { clean: string; held: string } {
    let [clean, from] = ['', 0]
    let beginning = this.#beginning(text, 0)
    const next = this.#search(text)
    for (;;) {
      const found = next(from)
      if (!found || (beginning >= 0 && beginning <= found.at)) break
      clean += text.slice(from, found.at) + found.form.mark
      from = found.at + found.form.text.length
      if (beginning >= 0 && beginning < from) beginning = this.#beginning(text, from)
    }
    const to = beginning < 0 ? text.length : beginning
    return {
      clean: from === 0 && to === text.length ? text : clean + text.slice(from, to),
      held: text.slice(to),
    }
  }

  /**
   * Finds the first secret from a place on, of several there the longest; places only grow. What was found of each form
   * is kept, as a text that is full of one of them would be read to its end for all others each time.
   */
  #search(text: string): (from: number) => Found | null {
    let left = this.#forms.map((form) => ({ at: text.indexOf(form.text), form })).filter(({ at }) => at >= 0)
    return (from) => {
      let next: Found | null = null
      for (const one of left) {
        if (one.at >= 0 && one.at < from) one.at = text.indexOf(one.form.text, from)
        if (one.at >= 0 && (next === null || one.at < next.at)) next = one
      }
      left = left.filter(({ at }) => at >= 0)
      return next && { ...next }
    }
  }

  /** Where the longest end of the text begins that is the beginning of a secret, and not all of it; -1 if none is. */
  #beginning(text: string, from: number): number {
    for (let at = Math.max(from, text.length - this.#longest + 1); at < text.length; at++) {
      const forms = this.#byFirst.get(text.charAt(at))
      if (!forms) continue
      const rest = text.slice(at)
      if (forms.some((form) => form.text.length > rest.length && form.text.startsWith(rest))) return at
    }
    return -1
  }
}

/** A text that comes in pieces, whatever its pieces are: joined it is what `cutText` makes of the whole. */
export class RedactedText {
  readonly #redaction: Redaction
  #held = ''

  constructor(redaction: Redaction) {
    this.#redaction = redaction
  }

  /** What can be said now that this was added. */
  take(piece: string): string {
    const { clean, held } = this.#redaction.split(this.#held + piece)
    this.#held = held
    return clean
  }

  /** What was held back: nothing follows, but that may be because the rest of a secret was cut off. */
  end(): string {
    const rest = this.#redaction.cutText(this.#held)
    this.#held = ''
    return rest
  }
}

/** A secret may be a word that events are made of: without that word nobody would understand the event. */
const unlessOfWire = (word: string, clean: string) => (clean !== word && wireWords().has(word) ? word : clean)

/** Who reads it should know which one it was; but a secret may itself be a part of such words. */
function markFor(name: string, texts: readonly string[]): string {
  const fits = (mark: string) => !texts.some((text) => mark.includes(text))
  return [`[secret ${name}]`, '[hidden]'].find(fits) ?? '***'
}
