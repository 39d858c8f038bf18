import { Attachment } from '@farhand/protocol/methods/conversation'

/** What somebody has begun to say in a run, with the files that the hub has already. */
export type Draft = { text: string; attachments: readonly Attachment[] }

const prefix = 'farhand.draft.'
const mostKept = 50
const weekMs = 7 * 24 * 3600_000
export const emptyDraft: Draft = { text: '', attachments: [] }

type Shelf = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

/** A page as it was loaded, and the one that was in the same tab before, if that is known. */
export type DraftsPage = { id: string; before: string | null }

/** `isTaken`: another tab has gone on with it. Only the tab that wrote it is shown it again. */
type KeptDraft = Draft & { at: number; isTaken: boolean }

/**
 * Drafts by run, kept across reloads, and for each tab its own: two that wrote to one place would lose what the other one
 * typed. A tab without one shows the newest of the others, which stays theirs until it is changed here. A shelf that is full
 * or forbidden loses drafts, and nothing else.
 */
export class Drafts {
  readonly #shelf: Shelf | null
  readonly #page: string
  readonly #now: () => number
  /** What is shown here of other tabs, by run, as it was found. */
  readonly #shown = new Map<string, { name: string; content: string }>()
  #isShut = false

  constructor(shelf: Shelf | null, page: DraftsPage, now = () => Date.now()) {
    this.#shelf = shelf
    this.#page = page.id
    this.#now = now
    if (page.before !== null) this.#takeOver(page.before)
  }

  of(run: string): Draft {
    this.#isShut = false
    this.#shown.delete(run)
    const own = this.#read(this.#own(run))
    const { text, attachments } = own ?? this.#newestOfOthers(run) ?? emptyDraft
    return { text, attachments }
  }

  keep(run: string, draft: Draft): void {
    if (this.#isShut) return
    const shown = this.#shown.get(run)
    if (shown?.content === contentOf(draft)) return
    this.#shown.delete(run)
    try {
      this.#write(this.#own(run), draft)
      const source = shown && this.#read(shown.name)
      if (source && contentOf(source) === shown.content) this.#put(shown.name, { ...source, isTaken: true })
      this.#dropOldest()
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

  #own = (run: string) => `${prefix}${run}.${this.#page}`

  #write(name: string, draft: Draft): void {
    const before = this.#read(name)
    // What was taken from here and is the same still has been said, or is being said, elsewhere.
    if (before && contentOf(before) === contentOf(draft)) return
    if (contentOf(draft) === contentOf(emptyDraft)) this.#shelf?.removeItem(name)
    else this.#put(name, { ...draft, at: this.#now(), isTaken: false })
  }

  #put = (name: string, kept: KeptDraft) => this.#shelf?.setItem(name, JSON.stringify(kept))

  /** The page was loaded again: what it wrote is its own. */
  #takeOver(before: string): void {
    try {
      for (const name of this.#names()) {
        if (!name.endsWith(`.${before}`)) continue
        const text = this.#shelf?.getItem(name)
        if (text) this.#shelf?.setItem(name.slice(0, -before.length) + this.#page, text)
        this.#shelf?.removeItem(name)
      }
    } catch {
      // Then they are those of another tab.
    }
  }

  #newestOfOthers(run: string): Draft | null {
    const place = prefix + run
    const found = this.#names().flatMap((name) => {
      if (name !== place && !name.startsWith(`${place}.`)) return []
      const kept = this.#read(name)
      return kept && !kept.isTaken ? { name, kept } : []
    })
    const newest = found.sort((a, b) => b.kept.at - a.kept.at)[0]
    if (!newest) return null
    this.#shown.set(run, { name: newest.name, content: contentOf(newest.kept) })
    return newest.kept
  }

  #names(): string[] {
    const shelf = this.#shelf
    const names = Array.from({ length: shelf?.length ?? 0 }, (_, nth) => shelf?.key(nth) ?? '')
    return names.filter((name) => name.startsWith(prefix))
  }

  #read(name: string): KeptDraft | null {
    try {
      const kept = JSON.parse(this.#shelf?.getItem(name) ?? 'null')
      if (typeof kept?.text !== 'string' || !Array.isArray(kept.attachments)) return null
      const attachments = kept.attachments.flatMap((one: unknown) => Attachment.safeParse(one).data ?? [])
      return { text: kept.text, attachments, at: Number(kept.at) || 0, isTaken: kept.isTaken === true }
    } catch {
      return null
    }
  }

  /** The oldest go when there are too many; and those that another tab went on with, once no tab will ask for them. */
  #dropOldest(): void {
    const drafts = this.#names().map((name) => ({ name, at: 0, isTaken: false, ...this.#read(name) }))
    drafts.sort((a, b) => Number(a.isTaken) - Number(b.isTaken) || b.at - a.at)
    const isOver = (at: number) => at < this.#now() - weekMs
    for (const [nth, { name, at, isTaken }] of drafts.entries())
      if (nth >= mostKept || (isTaken && isOver(at))) this.#shelf?.removeItem(name)
  }
}

// Not all that is said of a file: what was read from the shelf says it in another order.
const contentOf = ({ text, attachments }: Draft): string =>
  JSON.stringify([text, attachments.map(({ hash, name }) => [hash, name])])
