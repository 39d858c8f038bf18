import { sameEntry } from '@farhand/protocol/files/path-history'
import type { SkipReason } from '../engine/disk-folder.ts'
import { patchOfFile } from './content/patch-of-file.ts'
import type {
  DiskRequestName,
  DiskRequests,
  DiskStart,
  FromDisk,
  PackedChanged,
  ToDisk,
} from './disk-messages.ts'
import { summedContents } from './index/summed-contents.ts'
import { unpackChanges } from './packed-changes.ts'
import { releaseMemory } from './release-memory.ts'
import { buffersOf } from './report/packed-seen.ts'
import { mostRuleBytes } from './rules/ignore-rules.ts'
import { FolderWatcher } from './watch/folder-watcher.ts'
import { lockFolder } from './workspace/lock-folder.ts'
import { Applier } from './write/applier.ts'

const sliceMs = 6
/** Reasons that can go away: a file that was refused for one of them is tried again later. */
const waits: readonly SkipReason[] = ['in-the-way', 'ignored', 'hub-data', 'newly-included', 'looks-secret']

type Answers = {
  [What in DiskRequestName]: (
    asked: DiskRequests[What]['ask'],
  ) => DiskRequests[What]['answer'] | Promise<DiskRequests[What]['answer']>
}

/** Watches and changes one folder, as messages ask for it. Only one batch is written at a time, in the order of the requests. */
export class DiskThread {
  readonly #say: (message: FromDisk, buffers?: ArrayBuffer[]) => void
  readonly #closed: () => void
  readonly #unlock: () => void
  readonly #watcher: FolderWatcher
  readonly #applier: Applier
  /** Of each path written in this batch: how many reports had been sent by then. */
  readonly #written = new Map<string, number>()
  #reports = 0
  #applying: Promise<unknown> = Promise.resolve()
  #sweep: NodeJS.Timeout | null = null
  /** Patches that are being applied: their files must stay open until they are done. */
  readonly #assembling = new Set<Promise<unknown>>()

  constructor(
    start: DiskStart,
    say: (message: FromDisk, buffers?: ArrayBuffer[]) => void,
    closed: () => void,
  ) {
    this.#say = say
    this.#closed = closed
    this.#unlock = lockFolder(start.root, start.isOwnLockDead)
    this.#watcher = new FolderWatcher(start, (report) => {
      this.#reports++
      say({ is: 'report', report }, buffersOf(report.packed))
    })
    this.#applier = new Applier({
      root: start.root,
      mayMakeRepositories: start.mayMakeRepositories,
      known: this.#watcher.known,
      skipReason: (path) => this.#watcher.skipReason(path),
      unexpected: (path) => this.#watcher.recheck(path, true),
      wrote: (path) => {
        this.#watcher.wrote(path)
        this.#written.set(path, this.#reports)
      },
    })
  }

  handle(message: ToDisk): void {
    switch (message.is) {
      case 'ask':
        void this.#answer(message.id, message.what, message.value)
        return
      case 'report-handled':
        this.#watcher.reportHandled()
        return
      case 'recheck':
        this.#watcher.recheck(message.path, true)
        return
      case 'settled':
        this.#applier.settled(message.applies)
        this.#sweepUp()
        return
      case 'release':
        this.#applier.release(message.ids)
        return
      case 'limit-size':
        this.#watcher.limitSize(message.bytes)
    }
  }

  async #answer(id: number, what: DiskRequestName, asked: unknown): Promise<void> {
    try {
      const value = await (this.#answers[what] as (asked: unknown) => unknown)(asked)
      this.#say({ is: 'answer', id, value })
      if (what === 'close') this.#closed()
    } catch (error) {
      // The main thread can do more about it than this one.
      const { message, code } = error as NodeJS.ErrnoException
      this.#say({ is: 'failed', id, message, ...(code ? { code } : {}) })
    }
  }

  readonly #answers: Answers = {
    leftBehind: () => {
      const left = this.#applier.leftBehind()
      this.#watcher.rescued(this.#applier.rescued())
      return left
    },
    quiet: async () => {
      await this.#watcher.quiet()
      return null
    },
    look: (paths) => this.#watcher.look(paths),
    withhold: (paths) => this.#watcher.withhold(paths),
    readmit: (agreed) => this.#watcher.holdBack.readmit(agreed),
    open: async ({ path, entry }) => {
      const [found] = await this.#watcher.look([path], true)
      if (found && 'entry' in found && sameEntry(found.entry, entry)) {
        return found.content ? { content: found.content } : { place: this.#watcher.place(path) }
      }
      this.#watcher.recheck(path, true)
      return null
    },
    patch: async ({ path, entry, base }) => {
      const [found] = await this.#watcher.look([path])
      if (!found || !('entry' in found) || !sameEntry(found.entry, entry)) return null
      const making = patchOfFile(this.#watcher.place(path), { hash: entry.hash, base }, summedContents)
      return await inSlices(making)
    },
    stagePatched: ({ path, ...made }) => {
      const turn = this.#applier.stagePatched(this.#watcher.place(path), made)
      this.#assembling.add(turn)
      return turn.finally(() => this.#assembling.delete(turn))
    },
    apply: (packed) => {
      const turn = this.#applying.then(() => this.#apply(unpackChanges(packed)))
      this.#applying = turn.catch(() => {})
      return turn
    },
    openStaged: () => this.#applier.openStaged(),
    stageChunk: ({ staged, chunk }) => {
      this.#applier.stageChunk(staged, chunk)
      return null
    },
    closeStaged: (staged) => {
      this.#applier.closeStaged(staged)
      return null
    },
    dropStaged: (staged) => {
      this.#applier.dropStaged(staged)
      return null
    },
    rest: async () => {
      await releaseMemory()
      return null
    },
    close: async () => {
      await this.#applying
      await Promise.allSettled(this.#assembling)
      if (this.#sweep) clearTimeout(this.#sweep)
      this.#watcher.close()
      this.#applier.close()
      this.#unlock()
      return null
    },
  }

  async #apply(changes: ReturnType<typeof unpackChanges>): Promise<PackedChanged> {
    this.#watcher.holdBack.beforeApply(changes, (staged) => this.#applier.stagedText(staged, mostRuleBytes))
    const going = this.#applier.applying(changes)
    let step = going.next()
    while (!step.done) {
      await new Promise((resolve) => setImmediate(resolve))
      step = going.next()
    }
    const others: PackedChanged['others'] = []
    for (const [at, changed] of step.value.entries()) {
      if (changed.is !== 'done') others.push([at, changed])
      const isRefused = changed.is === 'skipped' && waits.includes(changed.why)
      if (isRefused) this.#watcher.refused(changes[at]!.path)
    }
    const after = Uint32Array.from(changes, ({ path }) => this.#written.get(path) ?? 0)
    this.#written.clear()
    this.#sweepUp()
    return { others, after }
  }

  /** Versions that were replaced a while ago are deleted, or rescued if a program still wrote to them. */
  #sweepUp(): void {
    if (this.#sweep) clearTimeout(this.#sweep)
    const nextMs = this.#applier.sweep()
    this.#watcher.rescued(this.#applier.rescued())
    this.#sweep = nextMs === null ? null : setTimeout(() => this.#sweepUp(), nextMs)
  }
}

/** Yields to the event loop every few milliseconds. */
async function inSlices<Result>(going: Generator<void, Result>): Promise<Result> {
  let step = going.next()
  for (let untilMs = performance.now() + sliceMs; !step.done; step = going.next()) {
    if (performance.now() < untilMs) continue
    await new Promise((resolve) => setImmediate(resolve))
    untilMs = performance.now() + sliceMs
  }
  return step.value
}
