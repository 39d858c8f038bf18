/**
 * Lines about side events, such as synced files. While the agent is in the middle of a sentence, or a question is open,
 * they are held back and shown right after.
 */
export class HeldLines<Text = string> {
  readonly #show: (text: Text) => void
  #waiting: Text[] = []
  #isSpeaking = false
  #isAsking = false

  constructor(show: (text: Text) => void) {
    this.#show = show
  }

  take(text: Text): void {
    if (this.#isSpeaking || this.#isAsking) this.#waiting.push(text)
    else this.#show(text)
  }

  speaking(isSpeaking: boolean): void {
    this.#isSpeaking = isSpeaking
    this.#release()
  }

  asking(isAsking: boolean): void {
    this.#isAsking = isAsking
    this.#release()
  }

  #release(): void {
    if (this.#isSpeaking || this.#isAsking) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const text of waiting) this.#show(text)
  }
}
