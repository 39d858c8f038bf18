import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises'
import { uploadBlobs } from '@farhand/client/blobs/upload-blobs'
import type { Hub } from '@farhand/client/requests/hub'
import { event } from '@farhand/protocol/events/event-names'
import type { EventParams } from '@farhand/protocol/methods/methods'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { Notification } from '@farhand/protocol/wire/event'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { openBlob } from '@farhand/sync/disk/open-blob'
import { isOwnPath } from '@farhand/sync/disk/workspace/never-synced'
import { inNfc } from '@farhand/sync/disk/workspace/path-parts'
import { withoutLargeValues } from '../events/large-values.ts'
import type { Orders } from '../orders/orders.ts'

export type FileAnswersParts = {
  orders: Orders
  /** The workspace. */
  root: string
  hub: Hub
  at: RunAddress
  emit: (event: Notification) => void
  fail: (why: unknown) => void
  signal: AbortSignal
}

const mostTextBytes = 256 * 1024
/** How often a file that changes while it is read is read again. */
const mostTries = 3

/** Answers users' requests for files of the workspace, one after the other. */
export class FileAnswers {
  readonly #parts: FileAnswersParts
  #answering: Promise<void> = Promise.resolve()
  #open = 0

  constructor(parts: FileAnswersParts) {
    this.#parts = parts
  }

  /** The log was read further: begins to answer new requests. */
  heard(): void {
    const { orders, signal, fail } = this.#parts
    for (const path of [...orders.openFileRequests]) {
      // From here on this runner owns it: it does not read its own events back.
      orders.openFileRequests.delete(path)
      this.#open += 1
      this.#answering = this.#answering
        .then(() => this.#answer(path))
        .finally(() => {
          this.#open -= 1
        })
        .catch((why) => {
          if (!signal.aborted) fail(why)
        })
    }
  }

  /** Whether a request has not been answered. */
  get isBusy(): boolean {
    return this.#open > 0
  }

  /** Resolves when all requests so far are answered. */
  idle(): Promise<void> {
    return this.#answering
  }

  async #answer(path: WorkspacePath): Promise<void> {
    for (let tries = 1; ; tries++) {
      this.#parts.signal.throwIfAborted()
      const refused = await this.#answerOnce(path)
      if (refused === null) return
      // Answer even so, or the client would wait forever.
      if (tries === mostTries) return this.#emit({ path, missing: true, reason: refused })
    }
  }

  /** Gives the reason if it failed and a retry may help. */
  async #answerOnce(path: WorkspacePath): Promise<string | null> {
    const { root } = this.#parts
    const found = await openInside(root, path)
    if (!found) {
      this.#emit({ path, missing: true })
      return null
    }
    const { file, place } = found
    try {
      const { size } = await file.stat()
      if (size > mostTextBytes) return await this.#answerLarge(path, place)
      const bytes = await file.readFile()
      const answer = event('file_content', { path, content: bytes.toString() })
      if (isUtf8(bytes) && withoutLargeValues(answer)?.event === answer) {
        this.#parts.emit(answer)
        return null
      }
      return await this.#answerWithBlob(path, new Blob([bytes]))
    } catch (why) {
      if (isOfTheDisk(why)) return why.message
      throw why
    } finally {
      await file.close()
    }
  }

  async #answerLarge(path: WorkspacePath, place: string): Promise<string | null> {
    const blob = await openBlob(place)
    // The blob cannot be read once the file has changed, so the bytes are those checked here.
    const again = blob && (await openInside(this.#parts.root, path))
    if (!again) return 'it changed while it was read'
    await again.file.close()
    return await this.#answerWithBlob(path, blob)
  }

  async #answerWithBlob(path: WorkspacePath, blob: Blob): Promise<string | null> {
    const { hub, at, signal } = this.#parts
    const hash = await hashOf(blob)
    if (!hash) return 'it changed while it was read'
    const patient = { signal, patienceMs: Number.POSITIVE_INFINITY }
    const { refused } = await uploadBlobs(hub, at, [{ hash, size: blob.size, open: () => blob }], patient)
    if (refused[0]) return `it could not be handed in: ${(refused[0].why as Error).message}`
    this.#emit({ path, hash, size: blob.size })
    return null
  }

  #emit(params: EventParams<'file_content'>): void {
    this.#parts.emit(event('file_content', params))
  }
}

/** Opens the regular file at this path, if it is inside the workspace and not one of Farhand's own. */
async function openInside(
  root: string,
  path: WorkspacePath,
): Promise<{ file: FileHandle; place: string } | null> {
  const place = isOwnPath(path) ? null : await placeInside(root, path)
  if (place === null) return null
  // Opening a pipe would block.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  const file = await open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null)
  if (!file) return null
  const [opened, found] = await Promise.all([file.stat(), lstat(place).catch(() => null)])
  // A folder may have become a link in between: then a different file was opened.
  const isIt = opened.isFile() && found?.ino === opened.ino && found.dev === opened.dev
  if (isIt && (await placeInside(root, path)) === place) return { file, place }
  await file.close()
  return null
}

/** The file's path as the disk spells it; null if there is none, or only behind a link. */
async function placeInside(root: string, path: WorkspacePath): Promise<string | null> {
  const parts = path.split('/')
  let place = root
  for (const [depth, part] of parts.entries()) {
    const isLast = depth === parts.length - 1
    const name = (await spelled(place, part)) ?? part
    place = `${place}/${name}`
    const stats = await lstat(place).catch(() => null)
    if (!stats || (isLast ? !stats.isFile() : !stats.isDirectory())) return null
  }
  return place
}

/** The file name that has this one as its normalized form, if it differs (S10). */
async function spelled(folder: string, part: string): Promise<string | undefined> {
  if (!/[^\0-\x7f]/.test(part)) return undefined
  const names = await readdir(folder).catch((): string[] => [])
  return names.includes(part) ? part : names.find((name) => inNfc(name) === part)
}

async function hashOf(blob: Blob): Promise<BlobHash | null> {
  const hasher = createHash('sha256')
  try {
    for await (const bytes of blob.stream()) hasher.update(bytes)
  } catch {
    // The file has changed since it was opened.
    return null
  }
  return BlobHash.parse(`sha256_${hasher.digest('hex')}`)
}

const isOfTheDisk = (why: unknown): why is NodeJS.ErrnoException =>
  why instanceof Error && 'syscall' in why && 'errno' in why
