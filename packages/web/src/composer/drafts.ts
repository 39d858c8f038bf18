import { Attachment } from '@farhand/protocol/methods/conversation'

/** What the user has started to write in a run, with the attachments that the hub already has. */
export type Draft = { text: string; attachments: readonly Attachment[] }

const prefix = 'farhand.draft.'
const mostKept = 50
const weekMs = 7 * 24 * 3600_000
export const emptyDraft: Draft = { text: '', attachments: [] }

type Shelf = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

/** `id` is this page load; `before` is the page load that was in the same tab before, if known. */
export type DraftsPage = { id: string; before: string | null }

/** `isTaken`: another tab has continued this draft. Then only the tab that wrote it shows it again. */
type KeptDraft = Draft & { at: number; isTaken: boolean }

/**
 * Drafts by run, kept across reloads. Each tab has its own draft, because two tabs that write to one place would
 * lose each other's text. A tab without a draft shows the newest draft of another tab, and copies it on the first
 * change. If storage is full or forbidden, drafts are lost and nothing else.
 */
export class Drafts {
  readonly #shelf: Shelf | null
  readonly #page: string
  readonly #now: () => number
  /** Drafts of other tabs that this tab shows, by run, as they were when read. */
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
      // The text is still in the field.
    }
  }

  /**
   * Removes all drafts, for signing out. A field that is still on the page saves nothing more until a draft is
   * opened again.
   */
  forgetAll(): void {
    this.#isShut = true
    try {
      for (const name of this.#names()) this.#shelf?.removeItem(name)
    } catch {
      // Storage is forbidden, so there is nothing to remove.
    }
  }

  #own = (run: string) => `${prefix}${run}.${this.#page}`

  #write(name: string, draft: Draft): void {
    const before = this.#read(name)
    // The same content was already sent, or another tab is sending it: do not save it again.
    if (before && contentOf(before) === contentOf(draft)) return
    if (contentOf(draft) === contentOf(emptyDraft)) this.#shelf?.removeItem(name)
    else this.#put(name, { ...draft, at: this.#now(), isTaken: false })
  }

  #put = (name: string, kept: KeptDraft) => this.#shelf?.setItem(name, JSON.stringify(kept))

  /** After a reload, the drafts of the previous page load in this tab belong to this one. */
  #takeOver(before: string): void {
    try {
      for (const name of this.#names()) {
        if (!name.endsWith(`.${before}`)) continue
        const text = this.#shelf?.getItem(name)
        if (text) this.#shelf?.setItem(name.slice(0, -before.length) + this.#page, text)
        this.#shelf?.removeItem(name)
      }
    } catch {
      // Then they count as drafts of another tab.
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

  /** Removes the oldest drafts when there are too many, and old drafts that another tab has continued. */
  #dropOldest(): void {
    const drafts = this.#names().map((name) => ({ name, at: 0, isTaken: false, ...this.#read(name) }))
    drafts.sort((a, b) => Number(a.isTaken) - Number(b.isTaken) || b.at - a.at)
    const isOver = (at: number) => at < this.#now() - weekMs
    for (const [nth, { name, at, isTaken }] of drafts.entries())
      if (nth >= mostKept || (isTaken && isOver(at))) this.#shelf?.removeItem(name)
  }
}

// Compare only hash and name: a stored attachment has its fields in another order.
const contentOf = ({ text, attachments }: Draft): string =>
  JSON.stringify([text, attachments.map(({ hash, name }) => [hash, name])])
