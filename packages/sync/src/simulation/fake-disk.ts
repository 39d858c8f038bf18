import { sameEntry } from '@farhand/protocol/files/path-history'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import type { Change, Changed, DiskFolder, DiskReport, Seen } from '../engine/disk-folder.ts'
import { bytesOf, entryInWords, entryOf, type File, hashOf, inTheWay, sizeOf, wordIn } from './contents.ts'
import type { Life, Line, Scheduler } from './scheduler.ts'

/** What a path became, and who wrote it: a user in the folder, or the engine. */
export type Made = {
  entry: FileEntry | null
  by: 'hand' | 'engine'
  /** How long the log was then. */
  at: number
  /** Whether folder and run had met. */
  isMet: boolean
}

/** `answer` is the number of the answer of `apply` that told it, 0 for `leftBehind`; null if it was not told yet. */
type Written = { path: WorkspacePath; entry: FileEntry | null; answer: number | null }

/** A folder in memory, in which a user works at the same time. It survives the lives of its replica. */
export class FakeDisk {
  readonly #scheduler: Scheduler
  readonly #name: string
  readonly files = new Map<WorkspacePath, File>()
  readonly made = new Map<WorkspacePath, Made[]>()
  readonly #when: () => { at: number; isMet: boolean }
  #dirty = new Set<WorkspacePath>()
  /** What it has reported or written in this life. */
  #known = new Set<WorkspacePath>()
  #refused = new Set<WorkspacePath>()
  #staged = new Map<string, string>()
  #written: Written[] = []
  #answers = 0
  /** Whether something goes wrong now and then. */
  isUnreliable = true
  /** Called at the moment something is overwritten or deleted by the engine. */
  onApply: (path: WorkspacePath, from: FileEntry | null, to: FileEntry | null) => void = () => {}

  constructor(scheduler: Scheduler, name: string, when: () => { at: number; isMet: boolean }) {
    this.#scheduler = scheduler
    this.#name = name
    this.#when = when
  }

  entry(path: WorkspacePath): FileEntry | null {
    return entryOf(this.files.get(path))
  }

  /** A user puts a file there. What is in its way goes. */
  write(path: WorkspacePath, file: File, by: Made['by'] = 'hand'): void {
    for (const other of [...this.files.keys()]) if (inTheWay(path, other)) this.remove(other)
    this.#set(path, file, by)
  }

  remove(path: WorkspacePath): void {
    if (this.files.has(path)) this.#set(path, null, 'hand')
  }

  rename(from: WorkspacePath, to: WorkspacePath): void {
    const file = this.files.get(from)
    if (!file || from === to) return
    this.remove(from)
    this.write(to, file)
  }

  /** The memory of the replica is lost: all files count as a user's work from now on. */
  meetAnew(): void {
    for (const made of this.made.values())
      for (const one of made) {
        one.by = 'hand'
        one.isMet = false
      }
  }

  #set(path: WorkspacePath, file: File | null, by: Made['by']): void {
    if (file) this.files.set(path, file)
    else this.files.delete(path)
    if (!this.made.has(path)) this.made.set(path, [])
    this.made.get(path)!.push({ entry: entryOf(file), by, ...this.#when() })
    if (by === 'hand' || this.#scheduler.chance(0.3)) this.#dirty.add(path)
    // A path that was refused is reported when what was in its way has changed.
    for (const refused of this.#refused) {
      if (!inTheWay(refused, path) && refused !== path) continue
      this.#refused.delete(refused)
      this.#dirty.add(refused)
    }
    this.#scheduler.tell(`${this.#name} disk: ${path} becomes ${entryInWords(entryOf(file))} by ${by}`)
  }

  /** How much was fetched and lies around unused. */
  get stagedCount(): number {
    return this.#staged.size
  }

  port(life: Life, mayDie: () => void): DiskFolder {
    this.#dirty = new Set()
    this.#known = new Set()
    this.#refused = new Set()
    const toScan = [...this.files.keys()]
    const staged = new Map<string, string>()
    this.#staged = staged
    let stagings = 0
    let isScanned = false
    const scheduler = this.#scheduler
    for (const written of this.#written) written.answer = null
    this.#answers = 0
    const line: Line = { answers: [] }
    const act = <Result>(
      label: string,
      effect: () => Result,
      signal?: AbortSignal,
      isReady?: () => boolean,
    ) =>
      scheduler.act(life, `${this.#name} disk ${label}`, effect, {
        line,
        signal,
        ...(isReady && { isReady }),
      })
    return {
      leftBehind: () =>
        act('tells what was left behind', () => {
          for (const written of this.#written) written.answer = 0
          return [...new Map(this.#written.map(({ path, entry }) => [path, { path, entry }])).values()]
        }),
      next: (signal) => {
        const isReady = () => !isScanned || this.#dirty.size > 0
        return act(
          'reports',
          () => {
            const paths = new Set(toScan.splice(0, scheduler.chance(0.5) ? toScan.length : 1))
            for (const path of paths) if (!this.files.has(path)) paths.delete(path)
            for (const path of [...this.#dirty])
              if (paths.size === 0 || scheduler.chance(0.7)) {
                this.#dirty.delete(path)
                paths.add(path)
              }
            isScanned ||= toScan.length === 0
            return this.#report([...paths], isScanned)
          },
          signal,
          isReady,
        )
      },
      look: (paths) => act('looks', () => paths.map((path) => this.#seen(path))),
      open: (path, entry) =>
        act(`opens ${path}`, () => {
          const file = this.files.get(path)
          const isSame = file !== undefined && sameEntry(entryOf(file), entry)
          // Times that moved make it unreadable, and nothing of that is ever reported.
          if (isSame && this.isUnreliable && scheduler.chance(0.1)) return null
          if (isSame) return bytesOf(file.word)
          if (scheduler.chance(0.5)) this.#dirty.add(path)
          return null
        }),
      stage: async (bytes) => {
        let word = ''
        for await (const part of bytes) word += wordIn(part)
        return act('stages', () => {
          const name = `staged ${stagings++}`
          staged.set(name, word)
          return { name }
        })
      },
      dropStaged: ({ name }) => void staged.delete(name),
      apply: (changes) => this.#apply(life, changes, staged, line),
      settled: (applies) => {
        mayDie()
        if (!life.isDead)
          this.#written = this.#written.filter(({ answer }) => answer === null || answer > applies)
        mayDie()
      },
      release: () => {},
      limitSize: () => {},
      withhold: async () => [],
      openRescued: async () => null,
      readmit: async () => [],
      close: async () => {},
    }
  }

  #seen(path: WorkspacePath): Seen {
    const file = this.files.get(path)
    const entry = entryOf(file)
    if (!file) return { path, entry, size: 0 }
    const size = sizeOf(file.word)
    const hasContent = size < 1000 && this.#scheduler.chance(0.7)
    return { path, entry, size, ...(hasContent && { content: bytesOf(file.word) }) }
  }

  #unexpected(path: WorkspacePath): Changed {
    this.#dirty.add(path)
    return { is: 'changed' }
  }

  #report(paths: WorkspacePath[], scanned: boolean): DiskReport {
    const seen = paths.map((path) => this.#seen(path))
    for (const path of paths) if (this.files.has(path)) this.#known.add(path)
    const found = { files: this.files.size, bytes: 0 }
    this.#scheduler.tell(
      `${this.#name} disk reports ${seen.map(({ path, entry }) => `${path}=${entryInWords(entry)}`).join(', ')}${scanned ? '' : ', still scanning'}`,
    )
    return { seen, skipped: [], scanned, found, position: null }
  }

  // Other things happen, and are told, between one change and the next; the answer to all of them comes at the end.
  async #apply(
    life: Life,
    changes: readonly Change[],
    staged: Map<string, string>,
    line: Line,
  ): Promise<Changed[]> {
    const results: Changed[] = []
    const order = changes.map((change, index) => ({ change, index }))
    order.sort((a, b) => Number(a.change.to !== null) - Number(b.change.to !== null))
    const written: Written[] = []
    for (const { change, index } of order) {
      await this.#scheduler.do(
        life,
        `${this.#name} disk applies ${change.path}=${entryInWords(change.to)}`,
        () => {
          const result = this.#applyOne(change, staged)
          results[index] = result
          if (result.is !== 'done') return
          const one = { path: change.path, entry: change.to, answer: null as number | null }
          written.push(one)
          this.#written.push(one)
        },
      )
    }
    await this.#scheduler.act(life, `${this.#name} disk has applied`, () => {}, { line })
    this.#answers += 1
    for (const one of written) one.answer = this.#answers
    return results
  }

  #applyOne({ path, from, to, content, staged: stage }: Change, staged: Map<string, string>): Changed {
    const word = content ? wordIn(content) : stage ? staged.get(stage.name) : undefined
    // However it goes, what was staged is used up.
    if (stage) staged.delete(stage.name)
    if (!sameEntry(this.entry(path), from)) return this.#unexpected(path)
    // What it has not seen yet it only knows to be none of ours.
    const blocking = to ? [...this.files.keys()].filter((other) => inTheWay(path, other)) : []
    const known = blocking.find((other) => this.#known.has(other))
    if (known) {
      // A file where a folder would have to be is reported again, and nothing that is in a folder.
      if (path.startsWith(`${known}/`)) this.#dirty.add(known)
      return this.#unexpected(path)
    }
    if (blocking.length > 0) {
      this.#refused.add(path)
      return { is: 'skipped', why: 'in-the-way' }
    }
    if (this.isUnreliable && this.#scheduler.chance(0.03)) return { is: 'failed', why: 'no space left' }
    if (to && word === undefined) return { is: 'failed', why: 'no content' }
    if (to && word !== undefined && hashOf(word) !== to.hash) return { is: 'failed', why: 'wrong content' }
    this.onApply(path, from, to)
    this.#set(path, to && { word: word!, mode: to.mode }, 'engine')
    this.#known.add(path)
    return { is: 'done' }
  }
}
