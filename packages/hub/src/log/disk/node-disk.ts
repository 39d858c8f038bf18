import * as fs from 'node:fs'
import { dirname } from 'node:path'
import { QuickDisk } from '@farhand/kit/quick-disk'
import type { Disk, DiskFile } from './disk.ts'

const { O_CREAT, O_DSYNC, O_RDWR } = fs.constants

// On Linux a write to a file opened with O_DSYNC returns as write + fdatasync would, in one hop to the thread pool
// instead of two. Elsewhere the flag is missing or promises less (macOS leaves the data in the drive's cache).
const writeIsDurable = process.platform === 'linux' && O_DSYNC !== undefined

const disk = new QuickDisk()

/** The disk of this machine. */
export const nodeDisk: Disk = { makeFolder, open, stamp, load, replace, unlink, syncFolder }

async function makeFolder(path: string): Promise<void> {
  const first = await fs.promises.mkdir(path, { recursive: true, mode: 0o700 })
  await syncFolder(path)
  if (first === undefined) return
  for (let made = path; made !== dirname(first); made = dirname(made)) await syncFolder(dirname(made))
}

async function open(path: string, create: boolean): Promise<DiskFile | null> {
  const flags = O_RDWR | (create ? O_CREAT : 0) | (writeIsDurable ? O_DSYNC : 0)
  const fd = await call<number>((done) => fs.open(path, flags, 0o600, done)).catch(nullIfMissing)
  return fd === null ? null : fileOf(fd)
}

function fileOf(fd: number): DiskFile {
  const sync = () => call<void>((done) => fs.fsync(fd, done))
  return {
    size: async () => (await call<fs.Stats>((done) => fs.fstat(fd, done))).size,
    async read(into, position) {
      let read = 0
      while (read < into.length) {
        const start = read
        const more = await call<number>((done) =>
          fs.read(fd, into, start, into.length - start, position + start, done),
        )
        if (more === 0) break
        read += more
      }
      return read
    },
    write: (bytes, position) =>
      disk.run(
        bytes.length,
        () => {
          const written = fs.writeSync(fd, bytes, 0, bytes.length, position)
          if (!writeIsDurable) fs.fdatasyncSync(fd)
          return written
        },
        async () => {
          const written = await call<number>((done) => fs.write(fd, bytes, 0, bytes.length, position, done))
          if (!writeIsDurable) await call<void>((done) => fs.fdatasync(fd, done))
          return written
        },
      ),
    async truncate(size) {
      await call<void>((done) => fs.ftruncate(fd, size, done))
      await sync()
    },
    sync,
    close: () => call<void>((done) => fs.close(fd, done)),
  }
}

async function stamp(path: string): Promise<string | null> {
  const stats = await fs.promises.stat(path, { bigint: true }).catch(nullIfMissing)
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`
}

async function load(path: string): Promise<Buffer | null> {
  return fs.promises.readFile(path).catch(nullIfMissing)
}

async function replace(path: string, bytes: Buffer): Promise<void> {
  const draft = `${path}.draft`
  try {
    await fs.promises.writeFile(draft, bytes, { mode: 0o600 })
    await fs.promises.rename(draft, path)
  } catch (error) {
    await fs.promises.rm(draft, { force: true })
    throw error
  }
}

async function unlink(path: string): Promise<void> {
  await fs.promises.rm(path, { force: true })
}

async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder, and does not need this.
  if (process.platform === 'win32') return
  const fd = await call<number>((done) => fs.open(path, fs.constants.O_RDONLY, done))
  try {
    await call<void>((done) => fs.fsync(fd, done))
  } finally {
    fs.closeSync(fd)
  }
}

function call<Result>(
  start: (done: (error: Error | null, result?: Result) => void) => void,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    start((error, result) => (error ? reject(error) : resolve(result as Result)))
  })
}

function nullIfMissing(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
  throw error
}
