import { type FSWatcher, watch } from 'node:fs'
import { basename } from 'node:path'

type Watched = { watcher: FSWatcher | null; ino: number; below: Map<string, Watched> | null }

export type Hints = {
  /**
   * Something happened to this name in this folder, or to anything in it when there is no name. `isWrite`: not only
   * to the name, but to what it stands for.
   */
  hint(folder: string, name: string | null, isWrite?: boolean): void
  /** This folder itself was moved or removed: what is at its path now is not what is watched. */
  moved(folder: string): void
}

export type SystemWatchesOptions = Hints & {
  /** Where a folder of the workspace is. */
  place(folder: string): string
  /** One watch sees everything below, where the system can do that. */
  recursive: boolean
  /** As if the system allowed no more than this many. */
  most?: number | undefined
}

/**
 * The watches on the folders of a workspace. They only hint: events are merged, come late, and get lost when there are
 * too many of them, so the scan has to look at the files itself, and everything has to be scanned now and then.
 */
export class SystemWatches {
  readonly #options: SystemWatchesOptions
  readonly #root: Watched = { watcher: null, ino: -1, below: null }
  #lastPath = ''
  #last: Watched | undefined = this.#root
  #count = 0
  /** The system's error code for why not everything is watched. No more watches are added until this is set to null. */
  blind: string | null = null

  constructor(options: SystemWatchesOptions) {
    this.#options = options
  }

  get count(): number {
    return this.#count
  }

  /** The inode of a folder that is watched, undefined for others, -1 for one that has to be watched anew. */
  ino(folder: string): number | undefined {
    if (folder === '') return this.#root.ino
    // Asked of every name in a folder, one after the other.
    const slash = folder.lastIndexOf('/')
    const isSame = slash === -1 ? this.#lastPath === '' : isStartOf(folder, slash, this.#lastPath)
    if (!isSame) {
      this.#lastPath = slash === -1 ? '' : folder.slice(0, slash)
      this.#last = this.#find(this.#lastPath)
    }
    return this.#last?.below?.get(folder.slice(slash + 1))?.ino
  }

  /** Watches a folder: what happens in it from now on is hinted at, unless `blind` says otherwise. */
  add(folder: string, ino: number): void {
    this.drop(folder)
    const node = this.#grow(folder)
    node.ino = ino
    if (this.blind || (this.#options.recursive && folder !== '')) return
    try {
      if (this.#count >= (this.#options.most ?? Number.POSITIVE_INFINITY)) throw noMore()
      node.watcher = this.#options.recursive ? this.#watchAll() : this.#watchOne(folder, node)
      this.#count++
    } catch (error) {
      const { code = 'EIO' } = error as NodeJS.ErrnoException
      // What has gone in the meantime is found out by reading it.
      if (code !== 'ENOENT' && code !== 'ENOTDIR') this.blind = code
    }
  }

  isSeen(folder: string): boolean {
    return this.#options.recursive || Boolean(this.#find(folder)?.watcher)
  }

  /** The names of the folders below that are watched. */
  below(folder: string): Iterable<string> {
    return this.#find(folder)?.below?.keys() ?? []
  }

  /** Stops watching a folder and all below it. */
  drop(folder: string): void {
    const node = this.#find(folder)
    if (!node) return
    this.#forgetLast()
    this.#close(node)
    node.below = null
    node.ino = -1
    if (folder === '') return
    const slash = folder.lastIndexOf('/')
    this.#find(slash === -1 ? '' : folder.slice(0, slash))?.below?.delete(folder.slice(slash + 1))
  }

  #watchOne(folder: string, node: Watched): FSWatcher {
    const { hint, moved, place } = this.#options
    const self = basename(place(folder))
    const watcher = watch(place(folder), (kind, name) => {
      // When a watched folder is moved or removed, the event carries the folder's own name, like that of a file in it.
      if (kind === 'rename' && name === self) {
        node.ino = -1
        moved(folder)
      }
      hint(folder, name, kind === 'change')
    })
    watcher.on('error', () => hint(folder, null))
    return watcher
  }

  #watchAll(): FSWatcher {
    const { hint, moved, place } = this.#options
    const watcher = watch(place(''), { recursive: true }, (kind, name) => {
      const path = name?.replaceAll('\\', '/') ?? ''
      const slash = path.lastIndexOf('/')
      if (kind === 'rename') moved(path)
      hint(slash === -1 ? '' : path.slice(0, slash), path.slice(slash + 1) || null, kind === 'change')
    })
    watcher.on('error', () => hint('', null))
    return watcher
  }

  #close(node: Watched): void {
    if (node.watcher) {
      node.watcher.close()
      node.watcher = null
      this.#count--
    }
    for (const child of node.below?.values() ?? []) this.#close(child)
  }

  #find(folder: string): Watched | undefined {
    let node: Watched | undefined = this.#root
    for (let start = 0; node && start < folder.length; ) {
      const slash = folder.indexOf('/', start)
      const end = slash === -1 ? folder.length : slash
      node = node.below?.get(folder.slice(start, end))
      start = end + 1
    }
    return node
  }

  #forgetLast(): void {
    this.#lastPath = ''
    this.#last = this.#root
  }

  #grow(folder: string): Watched {
    this.#forgetLast()
    let node = this.#root
    if (folder === '') return node
    for (const name of folder.split('/')) {
      node.below ??= new Map()
      let next = node.below.get(name)
      if (!next) {
        next = { watcher: null, ino: -1, below: null }
        node.below.set(name, next)
      }
      node = next
    }
    return node
  }
}

const isStartOf = (path: string, length: number, start: string) =>
  start.length === length && path.startsWith(start)

const noMore = () => Object.assign(new Error('no more watches'), { code: 'ENOSPC' })
