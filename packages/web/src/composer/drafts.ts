import { Attachment } from '@farhand/protocol/methods/conversation'

/** What somebody has begun to say in a run, with the files that the hub has already. */
export type Draft = { text: string; attachments: readonly Attachment[] }

const prefix = 'farhand.draft.'
const mostKept = 50
export const emptyDraft: Draft = { text: '', attachments: [] }

type Shelf = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

/** Drafts by run, kept across reloads. A shelf that is full or forbidden loses drafts, and nothing else. */
export class Drafts {
  readonly #shelf: Shelf | null
  readonly #now: () => number
  #isShut = false

  constructor(shelf: Shelf | null, now = () => Date.now()) {
    this.#shelf = shelf
    this.#now = now
  }

  of(run: string): Draft {
    this.#isShut = false
    const { text, attachments } = this.#read(prefix + run) ?? emptyDraft
    return { text, attachments }
  }

  keep(run: string, draft: Draft): void {
    if (this.#isShut) return
    const isEmpty = draft.text === '' && draft.attachments.length === 0
    try {
      if (isEmpty) this.#shelf?.removeItem(prefix + run)
      else this.#shelf?.setItem(prefix + run, JSON.stringify({ ...draft, at: this.#now() }))
      if (!isEmpty) this.#dropOldest()
    } catch {
      // What is being typed is still in the field.
    }
  }

  /** Whoever was here has gone. A field that is still on the page keeps nothing more, until the next one is opened. */
  forgetAll(): void {
    this.#isShut = true
    try {
      for (const name of this.#names()) this.#shelf?.removeItem(name)
    } catch {
      // Then nothing was kept there either.
    }
  }

  #names(): string[] {
    const shelf = this.#shelf
    const names = Array.from({ length: shelf?.length ?? 0 }, (_, nth) => shelf?.key(nth) ?? '')
    return names.filter((name) => name.startsWith(prefix))
  }

  #read(name: string): (Draft & { at: number }) | null {
    try {
      const kept = JSON.parse(this.#shelf?.getItem(name) ?? 'null')
      if (typeof kept?.text !== 'string' || !Array.isArray(kept.attachments)) return null
      const attachments = kept.attachments.flatMap((one: unknown) => Attachment.safeParse(one).data ?? [])
      return { text: kept.text, attachments, at: Number(kept.at) || 0 }
    } catch {
      return null
    }
  }

  #dropOldest(): void {
    const drafts = this.#names()
    if (drafts.length <= mostKept) return
    const at = (name: string) => this.#read(name)?.at ?? 0
    drafts.sort((a, b) => at(a) - at(b))
    for (const name of drafts.slice(0, drafts.length - mostKept)) this.#shelf?.removeItem(name)
  }
}
