import { hash as digest } from 'node:crypto'
import { fileUrls } from '@farhand/client/blobs/file-urls'
import { uploadPatch } from '@farhand/client/blobs/patches'
import { uploadBlobs } from '@farhand/client/blobs/upload-blobs'
import type { PackedBlob } from '@farhand/client/post/post'
import type { CallOptions } from '@farhand/client/requests/call'
import type { Hub } from '@farhand/client/requests/hub'
import { Refusal } from '@farhand/client/requests/refusal'
import { event } from '@farhand/protocol/events/event-names'
import type { FileInEvent } from '@farhand/protocol/files/file-in-event'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { Notification } from '@farhand/protocol/wire/event'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Content, OnBytes, Outgoing, Sent, VersionToKeep } from '../engine/hub-folder.ts'
import type { LogWriter } from './log-writer.ts'
import { prepareContents, type Ready } from './prepare-contents.ts'

type Options = CallOptions & { signal: AbortSignal; patienceMs: number }
type Parts = {
  hub: Hub
  at: RunAddress
  /** A device writes `file_sync` events, the run's runner `file_change`. */
  author: 'device' | 'runner'
  write: LogWriter
  options: Options
  /** Called with the paths that the hub has no room for, each time it refuses them. */
  onFull?: (paths: WorkspacePath[]) => void
}

/** Writes files into the log, contents before the events that name them (S5), in as few requests as will hold them. */
export async function sendFiles(
  parts: Parts,
  { changes, kept }: { changes: readonly Outgoing[]; kept: readonly VersionToKeep[] },
): Promise<Sent> {
  const sent: Sending = { lastId: 0, ids: new Map(), dropped: [], needed: [] }
  await sendAll(parts, kept, sent, writeKept)
  await sendAll(parts, changes, sent, writeChanges)
  return sent
}

type Sending = Sent & { ids: Map<Outgoing | VersionToKeep, number> }
type Write<Item> = (parts: Parts, files: Ready<Item>[], sent: Sending) => Promise<void>

async function sendAll<Item extends Outgoing | VersionToKeep>(
  parts: Parts,
  items: readonly Item[],
  sent: Sending,
  write: Write<Item>,
): Promise<void> {
  for await (const next of prepareContents(items)) {
    parts.options.signal.throwIfAborted()
    if (next.is === 'gone') sent.dropped.push(next.item.path)
    else if (next.is === 'request') await write(tellingFull(parts, next.files), next.files, sent)
    else if (await sendLarge(tellingFull(parts, [next]), next.item, next.content))
      await write(parts, [{ item: next.item, bytes: null }], sent)
    else sent.dropped.push(next.item.path)
  }
}

/** A hub without room can be reached, and accepts smaller files: that must not be reported as a lost connection. */
function tellingFull(parts: Parts, files: readonly { item: Outgoing | VersionToKeep }[]): Parts {
  const { options, onFull } = parts
  const onTrouble = (trouble: unknown, retryMs: number) => {
    if (onFull && (trouble as { code?: unknown }).code === 'storage.full')
      onFull(files.map(({ item }) => item.path))
    else options.onTrouble?.(trouble, retryMs)
  }
  return { ...parts, options: { ...options, onTrouble } }
}

const sendLarge = async (parts: Parts, item: Outgoing | VersionToKeep, content: Content) =>
  (await sendPatch(parts, item)) || (await upload(parts, item, content))

async function writeKept(
  { write, options }: Parts,
  files: Ready<VersionToKeep>[],
  sent: Sending,
): Promise<void> {
  await withoutWrongContents(files, sent, (files) =>
    write(
      files.map(({ item }) => keptEvent(item)),
      packed(files),
      options,
    ),
  )
}

async function writeChanges(parts: Parts, files: Ready<Outgoing>[], sent: Sending): Promise<void> {
  const { write, author, options } = parts
  for (let left = files; left.length > 0; ) {
    try {
      await withoutWrongContents(left, sent, async (files) => {
        const [id = 0] = await write([changeEvent(author, files)], packed(files), options)
        return files.map(() => id)
      })
      return
    } catch (error) {
      // The hub lacks contents that it was believed to have: they are needed, and the other files are sent without them.
      if (!(error instanceof Refusal && error.code === 'blob.missing')) throw error
      const missing = await missingOf(parts, left)
      const there = left.filter(({ item, bytes }) => bytes || !item.entry || !missing.has(item.entry.hash))
      if (there.length === left.length) throw error
      for (const file of left) if (!there.includes(file)) sent.needed.push(file.item.path)
      left = there
    }
  }
}

/** A file may have changed while it was read: the hub then refuses the whole pack, so the others are sent again. */
async function withoutWrongContents<Item extends Outgoing | VersionToKeep>(
  files: Ready<Item>[],
  sent: Sending,
  write: (files: Ready<Item>[]) => Promise<readonly number[]>,
): Promise<void> {
  const noted = async (files: Ready<Item>[]) => {
    const ids = await write(files)
    for (const [nth, { item }] of files.entries()) sent.ids.set(item, ids[nth]!)
    sent.lastId = Math.max(sent.lastId, ids.at(-1) ?? 0)
  }
  try {
    await noted(files)
  } catch (error) {
    if (!(error instanceof Refusal && error.code === 'blob.mismatch')) throw error
    const right = files.filter(({ item, bytes }) => !bytes || nameOf(bytes) === item.entry?.hash)
    if (right.length === files.length) throw error
    for (const file of files) if (!right.includes(file)) sent.dropped.push(file.item.path)
    if (right.length > 0) await noted(right)
  }
}

/** Which of the contents that do not go along the hub does not have either. */
async function missingOf({ hub, at, options }: Parts, files: Ready<Outgoing>[]): Promise<Set<string>> {
  const given = new Set(packed(files).map(({ hash }) => hash))
  const hashes = new Set(
    files.flatMap(({ item: { entry } }) => (entry && !given.has(entry.hash) ? [entry.hash] : [])),
  )
  if (hashes.size === 0) return new Set()
  const { missing } = await fileUrls(hub, at, [...hashes], options)
  return new Set(Object.keys(missing))
}

/** Whether sending a patch was enough. */
async function sendPatch({ hub, at, options }: Parts, item: Outgoing | VersionToKeep): Promise<boolean> {
  const { entry, size } = item
  const patch = entry && 'patch' in item ? await item.patch?.() : null
  return !!patch && (await uploadPatch(hub, at, { hash: entry!.hash, size, patch }, options))
}

async function upload(
  { hub, at, options }: Parts,
  item: Outgoing | VersionToKeep,
  content: Content,
): Promise<boolean> {
  const { entry, size, onBytes } = item
  if (!entry) return false
  let isUnreadable = false
  const open = async () => {
    const opened = typeof content === 'function' ? await content() : content
    if (opened === null || isUnreadable) throw new Error('the file has changed')
    return onBytes && opened instanceof Blob ? told(opened, onBytes) : opened
  }
  // The file failed, not the connection: it changed after it was opened, and waiting would not help.
  const onTrouble = (trouble: unknown, retryMs: number) => {
    isUnreadable = isOfTheFile(trouble)
    if (!isUnreadable) options.onTrouble?.(trouble, retryMs)
  }
  const source = { hash: entry.hash, size, open }
  const { refused } = await uploadBlobs(hub, at, [source], { ...options, onTrouble })
  return refused.length === 0
}

/** The same blob, which reports how many bytes of it have been read. */
function told(blob: Blob, onBytes: OnBytes): Blob {
  const stream = () => {
    const reader = blob.slice().stream().getReader()
    let bytes = 0
    const pull = async (to: ReadableStreamDefaultController<Uint8Array>) => {
      const { done, value } = await reader.read()
      if (done) return to.close()
      bytes += value.length
      onBytes(bytes)
      to.enqueue(value)
    }
    return new ReadableStream({ pull, cancel: (why) => reader.cancel(why) }, { highWaterMark: 0 })
  }
  return Object.defineProperty(blob, 'stream', { value: stream })
}

function isOfTheFile(trouble: unknown): boolean {
  for (let error = trouble; error instanceof Error; error = error.cause)
    if (error.name === 'NotReadableError') return true
  return false
}

const packed = (files: readonly Ready<Outgoing | VersionToKeep>[]): PackedBlob[] =>
  files.flatMap(({ item: { entry }, bytes }) => (entry && bytes ? [{ hash: entry.hash, bytes }] : []))

const nameOf = (bytes: Uint8Array) => `sha256_${digest('sha256', bytes)}` as BlobHash

const plain = (entry: FileEntry | null) => entry && { mode: entry.mode, hash: entry.hash }

/** One event for all of these files; a single file is not in a list. */
function changeEvent(author: Parts['author'], changes: readonly Ready<Outgoing>[]): Notification {
  const files = changes.map(
    ({ item: { path, entry, was, size }, bytes }): FileInEvent =>
      entry
        ? {
            path,
            action: was ? 'modified' : 'created',
            hash: entry.hash,
            size: bytes?.length ?? size,
            mode: entry.mode,
            was: plain(was),
          }
        : { path, action: 'deleted', was: plain(was) },
  )
  return event(author === 'device' ? 'file_sync' : 'file_change', files.length === 1 ? files[0]! : { files })
}

/** That a version is in no tree and can be put back (S4). */
function keptEvent({ path, entry, why }: VersionToKeep): Notification {
  return event('file_kept', { path, mode: entry.mode, hash: entry.hash, why })
}
