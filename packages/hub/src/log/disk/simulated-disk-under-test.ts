import { dirname } from 'node:path'
import type { Disk, DiskFile } from './disk.ts'

/** What can go wrong with one operation: refused at once, or after a part of the bytes went through. */
export type DiskTrouble = { code: 'ENOSPC' | 'EIO'; afterBytes?: number }

export type SimulatedDiskOptions = {
  /** Where all chance comes from, in [0, 1): the same numbers make the same disk. */
  random: () => number
  /** Asked before every operation that changes something. */
  trouble?: (what: 'open' | 'write' | 'truncate' | 'sync' | 'replace', path: string) => DiskTrouble | null
}

/** What programs see is `now`; what a power loss leaves is `safe`, and what the system happened to write back. */
type Inode = { now: Buffer; safe: Buffer }

const sectorBytes = 64

/**
 * A disk in memory that can lose its power: bytes and names that were not synced may be gone, each sector and each
 * name by itself, so that a later one can survive an earlier one and leave a hole of zeros.
 */
export class SimulatedDisk implements Disk {
  /** How many turns of the event loop an operation may take. */
  slowness = 0
  readonly #options: SimulatedDiskOptions
  #names = new Map<string, Inode>()
  #safeNames = new Map<string, Inode>()
  #dead = false

  constructor(options: SimulatedDiskOptions) {
    this.#options = options
  }

  /** The program is gone, and with `power-loss` the memory of the machine too; what is left is in the new disk. */
  crash(how: 'kill' | 'power-loss', options: SimulatedDiskOptions = this.#options): SimulatedDisk {
    this.#dead = true
    const left = new SimulatedDisk(options)
    for (const path of new Set([...this.#names.keys(), ...this.#safeNames.keys()])) {
      const now = this.#names.get(path)
      const safe = this.#safeNames.get(path)
      const inode = how === 'kill' || this.#options.random() < 0.5 ? now : safe
      if (inode && how === 'kill') left.#names.set(path, { now: inode.now, safe: inode.safe })
      if (inode && how === 'power-loss') {
        const bytes = this.#survivors(inode)
        left.#names.set(path, { now: bytes, safe: bytes })
      }
      if (how === 'power-loss') continue
      const kept = safe === now ? left.#names.get(path) : safe
      if (kept) left.#safeNames.set(path, kept)
    }
    if (how === 'power-loss') left.#safeNames = new Map(left.#names)
    return left
  }

  paths(): string[] {
    return [...this.#names.keys()]
  }

  bytesOf(path: string): Buffer | null {
    return this.#names.get(path)?.now ?? null
  }

  /** Puts bytes into a file without a write: damage, or a file from an earlier time. */
  plant(path: string, bytes: Buffer): void {
    const inode = { now: bytes, safe: bytes }
    this.#names.set(path, inode)
    this.#safeNames.set(path, inode)
  }

  remove(path: string): void {
    this.#names.delete(path)
    this.#safeNames.delete(path)
  }

  makeFolder(path: string): Promise<void> {
    return this.syncFolder(path)
  }

  open(path: string, create: boolean): Promise<DiskFile | null> {
    return this.#later(() => {
      if (create) this.#fail('open', path)
      const inode = this.#names.get(path) ?? (create ? { now: Buffer.alloc(0), safe: Buffer.alloc(0) } : null)
      if (!inode) return null
      this.#names.set(path, inode)
      return this.#file(path, inode)
    })
  }

  async stamp(path: string): Promise<string | null> {
    return this.bytesOf(path)?.toString('latin1') ?? null
  }

  load(path: string): Promise<Buffer | null> {
    return this.#later(() => this.bytesOf(path))
  }

  replace(path: string, bytes: Buffer): Promise<void> {
    return this.#later(() => {
      this.#fail('replace', path)
      this.#names.set(path, { now: Buffer.from(bytes), safe: Buffer.alloc(0) })
    })
  }

  unlink(path: string): Promise<void> {
    return this.#later(() => void this.#names.delete(path))
  }

  syncFolder(path: string): Promise<void> {
    return this.#later(() => {
      this.#fail('sync', path)
      for (const name of this.#safeNames.keys())
        if (dirname(name) === path && !this.#names.has(name)) this.#safeNames.delete(name)
      for (const [name, inode] of this.#names) if (dirname(name) === path) this.#safeNames.set(name, inode)
    })
  }

  #file(path: string, inode: Inode): DiskFile {
    let open = true
    const onOpen = <Result>(work: () => Result) =>
      this.#later(() => {
        if (!open) throw Object.assign(new Error(`${path} is closed`), { code: 'EBADF' })
        return work()
      })
    return {
      size: () => onOpen(() => inode.now.length),
      read: (into, position) => onOpen(() => inode.now.subarray(position).copy(into)),
      write: async (bytes, position) => {
        const trouble = this.#options.trouble?.('write', path)
        const taken = bytes.subarray(0, trouble ? (trouble.afterBytes ?? 0) : bytes.length)
        // Seen by other readers of the file, and open to every kind of loss, until it is durable.
        await onOpen(() => {
          inode.now = overwrite(inode.now, taken, position)
        })
        if (trouble && (taken.length === 0 || trouble.code === 'EIO')) throw diskError(trouble.code, path)
        await onOpen(() => {
          inode.safe = overwrite(inode.safe, taken, position)
        })
        return taken.length
      },
      truncate: async (size) => {
        await onOpen(() => {
          this.#fail('truncate', path)
          inode.now = resized(inode.now, size)
        })
        await onOpen(() => {
          inode.safe = inode.now
        })
      },
      sync: () =>
        onOpen(() => {
          this.#fail('sync', path)
          inode.safe = inode.now
        }),
      close: () =>
        onOpen(() => {
          open = false
        }),
    }
  }

  #survivors({ now, safe }: Inode): Buffer {
    const { random } = this.#options
    if (now.equals(safe)) return safe
    const size =
      random() < 0.3 ? Math.floor(random() * (now.length + 1)) : random() < 0.5 ? now.length : safe.length
    // Never shorter than what was synced, unless the file itself became shorter.
    const left = Buffer.alloc(Math.max(size, Math.min(safe.length, now.length)))
    const allOrNothing = random() < 0.3 ? Math.round(random()) : null
    for (let at = 0; at < left.length; at += sectorBytes) {
      const from = (allOrNothing ?? random()) < 0.5 ? safe : now
      from.subarray(at, at + sectorBytes).copy(left, at)
    }
    return left
  }

  #fail(what: 'open' | 'truncate' | 'sync' | 'replace', path: string): void {
    const trouble = this.#options.trouble?.(what, path)
    if (trouble) throw diskError(trouble.code, path)
  }

  async #later<Result>(work: () => Result): Promise<Result> {
    let turns = this.slowness > 0 ? Math.floor(this.#options.random() * (this.slowness + 1)) : 0
    for (; turns > 0; turns -= 1) await new Promise(setImmediate)
    // The program that made the call is gone: it gets no answer.
    if (this.#dead) await new Promise(() => {})
    return work()
  }
}

function overwrite(old: Buffer, bytes: Buffer, position: number): Buffer {
  const next = resized(old, Math.max(old.length, position + bytes.length))
  bytes.copy(next, position)
  return next
}

function resized(old: Buffer, size: number): Buffer {
  const next = Buffer.alloc(size)
  old.copy(next)
  return next
}

const diskError = (code: string, path: string) => Object.assign(new Error(`${code}: ${path}`), { code })
