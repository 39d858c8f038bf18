import { performance } from 'node:perf_hooks'
import type { Worker } from 'node:worker_threads'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type {
  AgreedFile,
  Change,
  Changed,
  DiskFolder,
  DiskReport,
  PatchToMake,
  Staged,
} from '../engine/disk-folder.ts'
import type { DiskRequestName, DiskRequests, DiskStart, FromDisk, ToDisk } from './disk-messages.ts'
import { diskWorker } from './disk-worker.ts'
import { openBlob } from './open-blob.ts'
import { packChanges } from './packed-changes.ts'
import { releaseMemory } from './release-memory.ts'
import { unpackSeen } from './report/packed-seen.ts'
import { WhenIdle } from './when-idle.ts'
import { FolderInUse } from './workspace/folder-in-use.ts'
import { rescuedPlace } from './write/rescued-files.ts'

/**
 * Opens a folder for syncing, with a thread of its own that does everything that touches the disk. Throws what the
 * system says if there is no such folder, and FolderInUse if it is open already. Later
 * errors of the thread are thrown by the next call.
 */
export async function openDiskFolder(options: DiskStart): Promise<DiskFolder> {
  const folder = new WorkerDiskFolder(await diskWorker(options), options.root)
  await folder.ready
  return folder
}

const closeMs = 10_000

type Waiting = { resolve: (value: never) => void; reject: (error: Error) => void }

class WorkerDiskFolder implements DiskFolder {
  readonly ready: Promise<void>
  readonly #worker: Worker
  readonly #root: string
  readonly #asked = new Map<number, Waiting>()
  /** Reports that the engine has not read yet, with their numbers. */
  readonly #reports: { n: number; report: DiskReport }[] = []
  #reportCount = 0
  readonly #ended: Promise<void>
  #listener: Waiting | null = null
  #isOneGiven = false
  #ids = 0
  #failure: Error | null = null
  readonly #whenIdle = new WhenIdle(
    () => this.#rest(),
    // Of these two threads alone: the process may keep other folders in sync.
    () => performance.eventLoopUtilization().active + this.#worker.performance.eventLoopUtilization().active,
  )

  constructor(worker: Worker, root: string) {
    this.#worker = worker
    this.#root = root
    this.ready = new Promise((resolve, reject) => this.#asked.set(0, { resolve, reject }))
    this.#ended = new Promise((resolve) => worker.once('exit', () => resolve()))
    worker.on('message', (message: FromDisk) => this.#handle(message))
    worker.on('error', (error) => this.#fail(error))
    worker.on('exit', () => this.#fail(new Error('the folder was closed')))
  }

  leftBehind = () => this.#ask('leftBehind', null)
  withhold = (paths: readonly WorkspacePath[]) => this.#ask('withhold', paths)
  look = (paths: readonly WorkspacePath[]) => this.#ask('look', paths)

  async next(signal: AbortSignal): Promise<DiskReport> {
    signal.throwIfAborted()
    if (this.#isOneGiven) this.#post({ is: 'report-handled' })
    this.#isOneGiven = false
    const report = this.#reports.shift()?.report ?? (await this.#nextReport(signal))
    this.#isOneGiven = true
    return report
  }

  async open(path: WorkspacePath, entry: FileEntry): Promise<Blob | Uint8Array | null> {
    const found = await this.#ask('open', { path, entry })
    if (!found) return null
    if ('content' in found) return found.content
    // Opened before it is asked for again: a change after this makes reading it fail, one before is seen.
    const blob = await openBlob(found.place)
    if (!blob) {
      // The caller of a null relies on a report, but the file may be unchanged: too many files may be open.
      this.#post({ is: 'recheck', path })
      return null
    }
    const still = await this.#ask('open', { path, entry })
    if (!still) return null
    return 'content' in still ? still.content : blob
  }

  async quiet(): Promise<void> {
    await this.#ask('quiet', null)
  }

  patch(path: WorkspacePath, entry: FileEntry, base: BlobHash): Promise<Uint8Array | null> {
    return this.#ask('patch', { path, entry, base })
  }

  stagePatched(path: WorkspacePath, made: PatchToMake): Promise<Staged | null> {
    return this.#ask('stagePatched', { path, ...made })
  }

  async stage(bytes: AsyncIterable<Uint8Array>): Promise<Staged> {
    const staged = await this.#ask('openStaged', null)
    try {
      for await (const piece of bytes) {
        // A piece may be a view of much more, and all of that would travel with it.
        const chunk = new Uint8Array(piece)
        await this.#ask('stageChunk', { staged, chunk }, [chunk.buffer])
      }
      await this.#ask('closeStaged', staged)
      return staged
    } catch (error) {
      await this.#ask('dropStaged', staged).catch(() => {})
      throw error
    }
  }

  dropStaged(staged: Staged): void {
    this.#ask('dropStaged', staged).catch(() => {})
  }

  async apply(changes: readonly Change[]): Promise<Changed[]> {
    const packed = packChanges(changes)
    const { others } = await this.#ask('apply', packed, [packed.content], ({ after }) =>
      this.#forgetOlder(new Map(changes.map(({ path }, at) => [path as string, after[at]!]))),
    )
    const answers: Changed[] = changes.map(() => ({ is: 'done' }))
    for (const [at, changed] of others) answers[at] = changed
    return answers
  }

  readmit(agreed: readonly AgreedFile[]): Promise<WorkspacePath[]> {
    return this.#ask('readmit', agreed)
  }

  settled(applies: number): void {
    this.#post({ is: 'settled', applies })
  }

  openRescued = (id: string) => openBlob(rescuedPlace(this.#root, id))

  release(ids: readonly string[]): void {
    this.#post({ is: 'release', ids: [...ids] })
  }

  limitSize(bytes: number): void {
    this.#post({ is: 'limit-size', bytes })
  }

  async close(): Promise<void> {
    // A thread that does not end for any reason must not keep its process: a crash loses nothing either.
    const timer = setTimeout(() => void this.#worker.terminate(), closeMs)
    if (!this.#failure) await this.#ask('close', null).catch(() => this.#worker.terminate())
    clearTimeout(timer)
    await this.#ended
  }

  /** Reports about a path from before it was written are outdated; later reports count. */
  #forgetOlder(writtenAfter: Map<string, number>): void {
    for (const { n, report } of this.#reports) {
      const isStill = ({ path }: { path: string }) => n > (writtenAfter.get(path) ?? 0)
      report.seen = report.seen.filter(isStill)
      report.skipped = report.skipped.filter(isStill)
    }
  }

  #nextReport(signal: AbortSignal): Promise<DiskReport> {
    if (this.#failure) return Promise.reject(this.#failure)
    const report = new Promise<DiskReport>((resolve, reject) => {
      this.#listener = { resolve, reject }
    })
    const stop = () => {
      const listener = this.#listener
      this.#listener = null
      listener?.reject(signal.reason as Error)
    }
    signal.addEventListener('abort', stop, { once: true })
    return report.finally(() => signal.removeEventListener('abort', stop))
  }

  #ask<What extends DiskRequestName>(
    what: What,
    value: DiskRequests[What]['ask'],
    buffers: ArrayBuffer[] = [],
    /** Called with the answer before any later message is handled. */
    atOnce: (answer: DiskRequests[What]['answer']) => void = () => {},
  ): Promise<DiskRequests[What]['answer']> {
    if (this.#failure) return Promise.reject(this.#failure)
    const id = ++this.#ids
    return new Promise((resolve, reject) => {
      const heard = (answer: DiskRequests[What]['answer']) => {
        atOnce(answer)
        resolve(answer)
      }
      this.#asked.set(id, { resolve: heard, reject })
      this.#post({ is: 'ask', id, what, value }, buffers)
    })
  }

  #post(message: ToDisk, buffers: ArrayBuffer[] = []): void {
    this.#whenIdle.wasActive()
    this.#worker.postMessage(message, buffers)
  }

  async #rest(): Promise<void> {
    await releaseMemory()
    if (!this.#failure) await this.#ask('rest', null).catch(() => {})
  }

  #handle(message: FromDisk): void {
    this.#whenIdle.wasActive()
    if (message.is === 'report') {
      this.#receiveReport(message.report)
      return
    }
    const id = message.is === 'ready' ? 0 : message.id
    const asked = this.#asked.get(id ?? 0)
    this.#asked.delete(id ?? 0)
    if (message.is === 'failed') asked?.reject(errorFrom(message, this.#root))
    else asked?.resolve((message.is === 'answer' ? message.value : undefined) as never)
  }

  #receiveReport({ packed, ...rest }: Extract<FromDisk, { is: 'report' }>['report']): void {
    const n = ++this.#reportCount
    const report: DiskReport = { seen: unpackSeen(packed), ...rest }
    const listener = this.#listener
    this.#listener = null
    if (listener) listener.resolve(report as never)
    else this.#reports.push({ n, report })
  }

  #fail(error: Error): void {
    this.#whenIdle.end()
    this.#failure ??= error
    for (const { reject } of this.#asked.values()) reject(this.#failure)
    this.#asked.clear()
    this.#listener?.reject(this.#failure)
    this.#listener = null
  }
}

const errorFrom = ({ message, code, pid }: Extract<FromDisk, { is: 'failed' }>, root: string) =>
  pid === undefined ? Object.assign(new Error(message), code ? { code } : {}) : new FolderInUse(root, pid)
