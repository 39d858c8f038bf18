import { methods } from '@farhand/protocol/methods/methods'
import { z } from 'zod'
import { secretForms, shortestSecret, spacedSecretForms } from './secret-forms.ts'
import { type BegunForm, type FoundForm, type SpacedForm, SpacedText } from './spaced-forms.ts'

export type NamedSecret = { name: string; value: string }

type Form = { text: string; mark: string }

/** At the end of a cut text, this much of a secret counts as the whole. */
const tellingLength = 8

/** Replaces secrets in texts and values. */
export class Redaction {
  /** Longest first: one may be the beginning of another. */
  readonly #forms: readonly Form[]
  /** Encoded forms that are found with other characters between their letters. */
  readonly #spaced: readonly SpacedForm[]
  readonly #byFirst = new Map<string, Form[]>()
  readonly #longest: number

  constructor(secrets: readonly NamedSecret[]) {
    const looked = secrets.filter(({ value }) => value.length >= shortestSecret)
    const known = looked.flatMap(({ name, value }) => secretForms(value).map((text) => ({ name, text })))
    const texts = known.map(({ text }) => text)
    const forms = new Map<string, Form>()
    for (const { name, text } of known)
      if (!forms.has(text)) forms.set(text, { text, mark: markFor(name, texts) })
    this.#forms = [...forms.values()].sort((a, b) => b.text.length - a.text.length)
    this.#spaced = looked.flatMap(({ name, value }) =>
      spacedSecretForms(value).map((form) => ({ ...form, mark: markFor(name, texts) })),
    )
    this.#longest = this.#forms[0]?.text.length ?? 0
    for (const form of this.#forms) {
      const first = form.text.charAt(0)
      this.#byFirst.set(first, [...(this.#byFirst.get(first) ?? []), form])
    }
  }

  /** Whether there are no secrets. */
  get isEmpty(): boolean {
    return this.#forms.length === 0
  }

  /** The text with each secret replaced; the same string if there is none. */
  text(text: string): string {
    if (text.length < shortestSecret) return text
    let [clean, from] = ['', 0]
    const next = this.#search(text, new SpacedText(text, this.#spaced))
    for (let found = next(0); found; found = next(from)) {
      clean += text.slice(from, found.at) + found.mark
      from = found.end
    }
    return from === 0 ? text : clean + text.slice(from)
  }

  /** The same for a text that may have been cut in the middle of a secret. */
  cutText(text: string): string {
    const clean = this.text(text)
    if (clean.length < tellingLength) return clean
    const begun = this.#begun(clean, new SpacedText(clean, this.#spaced), 0)
    const telling = begun.filter(({ length }) => length >= tellingLength).sort((a, b) => a.at - b.at)[0]
    return telling ? clean.slice(0, telling.at) + telling.mark : clean
  }

  /** The same bytes without secrets; null for a binary file with a secret in it, which the replacement would break. */
  bytes(bytes: Buffer): Buffer | null {
    if (this.isEmpty) return bytes
    const text = bytes.includes(0) ? null : decoded(bytes)
    if (text === null) return this.#forms.some((form) => bytes.includes(form.text)) ? null : bytes
    const clean = this.text(text)
    return clean === text ? bytes : Buffer.from(clean)
  }

  /** The value without secrets in its texts and keys, at any depth; the same object if there is none. */
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
    // Not by assignment: a key may be `__proto__`.
    return isSame ? value : Object.fromEntries(clean)
  }

  /** Splits an unfinished text: `clean` can be sent, `held` may be the beginning of a secret. */
  split(text: string): { clean: string; held: string } {
    let [clean, from] = ['', 0]
    const spaced = new SpacedText(text, this.#spaced)
    const beginningFrom = (from: number) =>
      Math.min(text.length, ...this.#begun(text, spaced, from).map(({ at }) => at))
    let beginning = beginningFrom(0)
    const next = this.#search(text, spaced)
    for (;;) {
      const found = next(from)
      if (!found || beginning <= found.at) break
      clean += text.slice(from, found.at) + found.mark
      from = found.end
      if (beginning < from) beginning = beginningFrom(from)
    }
    return {
      clean: from === 0 && beginning === text.length ? text : clean + text.slice(from, beginning),
      held: text.slice(beginning),
    }
  }

  /**
   * Finds the first secret from an index on, and the longest of several there; indexes only grow. Each form's next
   * hit is remembered: a text full of one secret would otherwise be searched to its end for all others each time.
   */
  #search(text: string, spaced: SpacedText): (from: number) => FoundForm | null {
    let left = this.#forms.map((form) => ({ at: text.indexOf(form.text), form })).filter(({ at }) => at >= 0)
    return (from) => {
      let next = spaced.find(from)
      for (const one of left) {
        if (one.at >= 0 && one.at < from) one.at = text.indexOf(one.form.text, from)
        if (one.at < 0) continue
        const end = one.at + one.form.text.length
        if (next === null || one.at < next.at || (one.at === next.at && end > next.end))
          next = { at: one.at, end, mark: one.form.mark }
      }
      left = left.filter(({ at }) => at >= 0)
      return next
    }
  }

  /** Ends of the text that may be the beginning of a secret: the longest of each kind. */
  #begun(text: string, spaced: SpacedText, from: number): BegunForm[] {
    const begun = spaced.begun(from)
    for (let at = Math.max(from, text.length - this.#longest + 1); at < text.length; at++) {
      const forms = this.#byFirst.get(text.charAt(at))
      if (!forms) continue
      const rest = text.slice(at)
      const form = forms.find((form) => form.text.length > rest.length && form.text.startsWith(rest))
      if (form) return [...begun, { at, length: rest.length, mark: form.mark }]
    }
    return begun
  }
}

/** Redacts a text that comes in pieces: joined, the result is what `cutText` makes of the whole. */
export class RedactedText {
  readonly #redaction: Redaction
  #held = ''

  constructor(redaction: Redaction) {
    this.#redaction = redaction
  }

  /** Adds a piece and returns what can be sent. */
  take(piece: string): string {
    const { clean, held } = this.#redaction.split(this.#held + piece)
    this.#held = held
    return clean
  }

  /** Returns what was held back. Nothing follows, maybe because the rest of a secret was cut off. */
  end(): string {
    const rest = this.#redaction.cutText(this.#held)
    this.#held = ''
    return rest
  }
}

/** Null for bytes that are not UTF-8. */
function decoded(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** A secret may equal a word of the protocol: without it, the event could not be read. */
const unlessOfWire = (word: string, clean: string) => (clean !== word && wireWords().has(word) ? word : clean)

/** Readers should know which secret it was; but another secret may be a part of the name. */
function markFor(name: string, texts: readonly string[]): string {
  const fits = (mark: string) => !texts.some((text) => mark.includes(text))
  return [`[secret ${name}]`, '[hidden]'].find(fits) ?? '***'
}

/** Words in agents' session updates that our own methods do not have. */
const ofUpdates = `agent_message_chunk agent_thought_chunk user_message_chunk tool_call tool_call_update
  available_commands_update current_mode_update config_option_update session_info_update usage_update
  annotations availableCommands configOptions currentModeId currentValue description entries locations
  newText oldText priority rawInput rawOutput resource resource_link status terminal terminalId toolCallId
  allow_always allow_once reject_always reject_once completed delete execute failed in_progress medium
  pending search switch_mode end_turn max_tokens max_turn_requests refusal`

let known: ReadonlySet<string> | null = null

/** The names and fixed values of the protocol. They occur in every log, so they reveal nothing. */
function wireWords(): ReadonlySet<string> {
  if (known) return known
  const words = new Set(ofUpdates.split(/\s+/))
  for (const { params } of Object.values(methods))
    collect(z.toJSONSchema(params, { io: 'input', unrepresentable: 'any' }), words)
  known = words
  return words
}

function collect(schema: unknown, words: Set<string>): void {
  if (typeof schema !== 'object' || schema === null) return
  const { properties = {}, enum: values = [], const: value } = schema as Schema
  for (const word of [...Object.keys(properties), ...values, value])
    if (typeof word === 'string') words.add(word)
  for (const part of Object.values(schema)) collect(part, words)
}

type Schema = { properties?: object; enum?: unknown[]; const?: unknown }
