import { limits } from '@farhand/protocol/wire/limits'
import { blobHeadBytes } from '@farhand/protocol/wire/pack'
import type { Content, Outgoing, VersionToKeep } from '../engine/hub-folder.ts'

/** Contents up to this size travel beside the event that names them; larger ones by an address of their own. */
export const mostPackedBytes = 1024 * 1024

const openAtOnce = 64
const mostFiles = 1000
const mostContentBytes = limits.requestBytes - limits.eventBytes

/** Something to write, and the bytes that go along: none, if the hub has them or there are none. */
export type Ready<Item> = { item: Item; bytes: Uint8Array | null }

export type Prepared<Item> =
  /** As much as one request may carry. */
  | { is: 'request'; files: Ready<Item>[] }
  /** To be uploaded first, one at a time, and then written. */
  | { is: 'large'; item: Item; content: Content }
  /** Its bytes are not there any more. */
  | { is: 'gone'; item: Item }

/** Opens contents, a few at a time, and sorts them into what travels together. Large ones come last. */
export async function* prepareContents<Item extends Outgoing | VersionToKeep>(
  items: readonly Item[],
): AsyncGenerator<Prepared<Item>> {
  const large: Prepared<Item>[] = []
  let files: Ready<Item>[] = []
  let contentBytes = 0
  let eventBytes = 0
  for (let from = 0; from < items.length; from += openAtOnce) {
    const group = items.slice(from, from + openAtOnce)
    const opened = group.every(isAtHand) ? group.map(atHand) : await Promise.all(group.map(open))
    for (const [nth, item] of group.entries()) {
      const bytes = opened[nth]!
      if (bytes === 'gone') {
        yield { is: 'gone', item }
        continue
      }
      if (bytes === 'large') {
        large.push({ is: 'large', item, content: item.content! })
        continue
      }
      const moreContent = bytes ? blobHeadBytes + bytes.length : 0
      const moreEvent = mostEventBytes(item)
      const isFull =
        files.length === mostFiles ||
        contentBytes + moreContent > mostContentBytes ||
        eventBytes + moreEvent > limits.eventBytes
      if (isFull) {
        yield { is: 'request', files }
        files = []
        contentBytes = 0
        eventBytes = 0
      }
      files.push({ item, bytes })
      contentBytes += moreContent
      eventBytes += moreEvent
    }
  }
  if (files.length > 0) yield { is: 'request', files }
  yield* large
}

type Opened = Uint8Array | null | 'large' | 'gone'

const isAtHand = ({ content }: Outgoing | VersionToKeep) => typeof content !== 'function'

function atHand({ entry, content }: Outgoing | VersionToKeep): Opened {
  if (!entry || !(content instanceof Uint8Array)) return null
  return content.length > mostPackedBytes ? 'large' : content
}

async function open(item: Outgoing | VersionToKeep): Promise<Opened> {
  const { entry, size, content } = item
  if (!entry || typeof content !== 'function') return atHand(item)
  if (size > mostPackedBytes) return 'large'
  const opened = await content()
  if (opened === null) return 'gone'
  if (opened instanceof Uint8Array) return opened.length > mostPackedBytes ? 'large' : opened
  if (opened.size > mostPackedBytes) return 'large'
  // The file changed or went after it was opened.
  return opened.arrayBuffer().then(
    (bytes) => new Uint8Array(bytes),
    () => 'gone',
  )
}

/** No fewer than the file takes in an event: JSON may write a character of a path in six bytes. */
const mostEventBytes = ({ path }: Outgoing | VersionToKeep) => 420 + 6 * path.length
