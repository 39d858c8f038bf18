import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { besidePrefix } from '@farhand/sync/disk/workspace/never-synced'

/** The files are too large to be stored, or must not be; the message says why. */
export class NotPacked extends Error {}

/** A text that must not be packed, and why. */
export type Never = { text: string; why: string }

export type PackOptions = {
  root: string
  paths: readonly string[]
  /** The path of the pack; temporary files are written beside it. */
  to: string
  mostBytes: number
  never: readonly Never[]
  signal: AbortSignal
}

/** Packs these paths into a compressed file and returns its hash. */
export async function pack({ root, paths, to, mostBytes, never, signal }: PackOptions): Promise<BlobHash> {
  const list = `${to}.list`
  // Prefixed, as a name may begin like an option.
  writeFileSync(list, paths.map((one) => `./${one}\n`).join(''))
  const tar = spawn('tar', ['-cf', '-', '-C', root, '-T', list], {
    stdio: ['ignore', 'pipe', 'ignore'],
    signal,
  })
  const ended = endOf(tar)
  const hash = createHash('sha256')
  const hashing = new Transform({
    transform(chunk, _, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  try {
    const way = [tar.stdout, watched(mostBytes, never), createGzip({ level: 1 }), hashing] as const
    await pipeline(...way, createWriteStream(to, { mode: 0o600 }), { signal })
    if ((await ended) !== 0) throw new NotPacked('tar could not read all of it')
    return BlobHash.parse(`sha256_${hash.digest('hex')}`)
  } catch (error) {
    tar.kill('SIGKILL')
    await ended
    rmSync(to, { force: true })
    throw error
  } finally {
    rmSync(list, { force: true })
  }
}

/** Passes the bytes on, and fails if they are too many or contain a forbidden text. */
function watched(mostBytes: number, never: readonly Never[]): Transform {
  // Latin-1: one character per byte.
  const wanted = never.map(({ text, why }) => ({ text: Buffer.from(text).toString('latin1'), why }))
  const overlap = Math.max(0, ...wanted.map(({ text }) => text.length - 1))
  let [bytes, before] = [0, '']
  return new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length
      if (bytes > mostBytes)
        return done(new NotPacked(`it is more than ${Math.round(mostBytes / 1024 / 1024)} MiB`))
      if (wanted.length > 0) {
        const text = before + chunk.toString('latin1')
        const found = wanted.find((one) => text.includes(one.text))
        if (found) return done(new NotPacked(found.why))
        before = overlap > 0 ? text.slice(-overlap) : ''
      }
      done(null, chunk)
    },
  })
}

/**
 * Unpacks these paths, each whole or not at all. False if not all of them could be: existing files stay, and no link
 * is followed out of the workspace or out of the pack.
 */
export async function unpack(
  from: string,
  root: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  // On the same disk, under a name that is never synced and where no link can have been placed.
  const stage = mkdtempSync(path.join(root, `${besidePrefix}setup-`))
  const tar = spawn('tar', ['-xf', '-', '-C', stage], { stdio: ['pipe', 'ignore', 'ignore'], signal })
  const ended = endOf(tar)
  try {
    await pipeline(createReadStream(from), createGunzip(), tar.stdin, { signal }).catch(unlessItHadAll)
    if ((await ended) !== 0) return false
    const [real, realStage] = [realpathSync(root), realpathSync(stage)]
    for (const one of paths) {
      const [staged, place] = [path.join(stage, one), path.join(root, one)]
      const parent = path.dirname(place)
      if (!existsSync(staged) || existsSync(place) || !existsSync(parent)) return false
      if (realpathSync(parent) !== path.join(real, path.dirname(one))) return false
      if (realpathSync(path.dirname(staged)) !== path.join(realStage, path.dirname(one))) return false
      renameSync(staged, place)
    }
    return true
  } catch (error) {
    signal.throwIfAborted()
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') throw error
    return false
  } finally {
    tar.kill('SIGKILL')
    await ended
    rmSync(stage, { recursive: true, force: true })
  }
}

/** Tar may exit at the end-of-archive mark, before its input closes: its exit code tells the result. */
function unlessItHadAll(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
}

/** The exit code; null if tar was killed or is not installed. */
const endOf = (child: ReturnType<typeof spawn>) =>
  new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null))
    child.once('close', (code) => resolve(code))
  })
