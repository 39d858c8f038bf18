import type { Author } from '@farhand/protocol/wire/event'
import type { RunId } from '@farhand/protocol/wire/ids'
import type { ReceivedBlobs } from '../../blobs/received-blobs.ts'

/** A reader who wants small contents without asking for them. */
export type InlineContentSubscriber = {
  readonly by: Author
  /** Takes it now or not at all: what it does not take it can ask for. */
  offer(text: string): void
}

/** More than this is asked for in one go, and would hold up the events. */
const mostBytes = 16 * 1024
const mostBlobs = 8

/**
 * Readers to whom small contents go before the event that names them, so that they need not ask (W33). It is a
 * courtesy: nothing is kept for a reader that is behind or slow, and contents that no event came to name mean nothing.
 */
export class InlineContentSubscribers {
  readonly #byRun = new Map<RunId, Set<InlineContentSubscriber>>()

  /** Adds a reader; answers how to take it out again. */
  add(run: RunId, subscriber: InlineContentSubscriber): () => void {
    const inlineSubscribers = this.#byRun.get(run) ?? new Set()
    this.#byRun.set(run, inlineSubscribers.add(subscriber))
    return () => {
      inlineSubscribers.delete(subscriber)
      if (inlineSubscribers.size === 0 && this.#byRun.get(run) === inlineSubscribers) this.#byRun.delete(run)
    }
  }

  /** Offers what somebody brought to everyone else. */
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
