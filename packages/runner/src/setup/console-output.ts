import { RedactedText, type Redaction } from '../events/redaction.ts'

const paceMs = 250
const mostAtOnce = 8 * 1024
const mostTold = 64 * 1024
const tailLength = 8 * 1024
const lastLines = 10
const lastLength = 1000

/**
 * Reports a command's output in portions, up to a bound; of the rest, only the end is reported when the command is
 * over.
 */
export class ConsoleOutput {
  readonly #say: (message: string) => void
  readonly #text: RedactedText
  #waiting = ''
  #told = 0
  #tail = ''
  #leftOut = 0
  #timer: NodeJS.Timeout | null = null
  #last = ''

  constructor(redaction: Redaction, say: (message: string) => void) {
    this.#say = say
    this.#text = new RedactedText(redaction)
  }

  take(text: string): void {
    this.#waiting += this.#text.take(text)
    if (this.#waiting.length > mostAtOnce) this.#tell()
    else this.#timer ??= setTimeout(() => this.#tell(), paceMs).unref()
  }

  /** The last lines, to explain a failure. */
  get last(): string {
    return this.#last.trim().split('\n').slice(-lastLines).join('\n').slice(-lastLength)
  }

  /** The command is over. */
  end(): void {
    this.#waiting += this.#text.end()
    this.#tell()
    if (this.#tail === '') return
    const cut = this.#leftOut - this.#tail.length
    this.#say(`${cut > 0 ? `(${cut} characters are left out here)\n` : ''}${this.#tail}`)
  }

  #tell(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const text = this.#waiting
    this.#waiting = ''
    this.#last = (this.#last + text).slice(-2 * lastLength)
    const now = text.slice(0, Math.max(0, mostTold - this.#told))
    this.#told += now.length
    if (now !== '') this.#say(now)
    const rest = text.slice(now.length)
    this.#leftOut += rest.length
    this.#tail = (this.#tail + rest).slice(-tailLength)
  }
}
