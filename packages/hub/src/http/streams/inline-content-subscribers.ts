import type { Author } from '@farhand/protocol/wire/event'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { ReceivedBlobs } from '../../blobs/received-blobs.ts'

/** A reader that wants small blobs sent along without asking for them. */
export type InlineContentSubscriber = {
  readonly by: Author
  /** Sends the text now or drops it: the reader can still fetch the blob. */
  offer(text: string): void
}

/** Larger blobs would delay the events; readers fetch them in one request instead. */
const mostBytes = 16 * 1024
const mostBlobs = 8

/**
 * Readers that get small blobs before the event that names them, so that they need not fetch them (W33). Nothing is kept for a
 * reader that is behind or slow, and a reader ignores blobs that no event names.
 */
export class InlineContentSubscribers {
  readonly #byRun = new Map<RunId, Set<InlineContentSubscriber>>()

  /** Adds a reader; returns a function that removes it. */
  add(run: RunId, subscriber: InlineContentSubscriber): () => void {
    const inlineSubscribers = this.#byRun.get(run) ?? new Set()
    this.#byRun.set(run, inlineSubscribers.add(subscriber))
    return () => {
      inlineSubscribers.delete(subscriber)
      if (inlineSubscribers.size === 0 && this.#byRun.get(run) === inlineSubscribers) this.#byRun.delete(run)
    }
  }

  /** Offers these blobs to every reader of the run except their sender. */
  offer(run: RunId, by: Author, { pack, blobs }: ReceivedBlobs): void {
    const inlineSubscribers = this.#byRun.get(run)
    if (!inlineSubscribers || blobs.length > mostBlobs || pack.length > mostBytes) return
    let text: string | null = null
    for (const subscriber of inlineSubscribers) {
      if (isSame(subscriber.by, by)) continue
      text ??= blobs.map(({ hash, at, size }) => message(hash, pack.bytes(at, size))).join('')
      subscriber.offer(text)
    }
  }
}

const message = (hash: string, bytes: Buffer) => `event: blob\ndata: ${hash} ${bytes.toString('base64')}\n\n`

function isSame(a: Author, b: Author): boolean {
  if (a.kind === 'runner') return b.kind === 'runner'
  return a.kind === b.kind && 'id' in a && 'id' in b && a.id === b.id
}
