import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { downloadBlob, readBlob } from '@farhand/client/blobs/download-blob'
import type { Hub } from '@farhand/client/requests/hub'
import { inParallel } from '@farhand/kit/in-parallel'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import type { RestorePoint } from './bundle-chain.ts'
import { type BundleHeader, bundleHeader } from './git/bundle-header.ts'
import type { CheckpointRepository } from './git/checkpoint-repository.ts'
import { push } from './git/git-process.ts'
import { writePack } from './git/write-pack.ts'
import { writePieces } from './verified-contents.ts'

const abreast = 4
const mostHeaderBytes = 64 * 1024 * 1024

export type BundleSource = { hub: Hub; at: RunAddress; scratch: string; signal: AbortSignal }

/** The bundle of a restore point is missing or broken. */
export class BundleImportError extends Error {
  readonly point: RestorePoint

  constructor(point: RestorePoint, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.name = 'BundleImportError'
    this.point = point
  }
}

/**
 * Downloads the bundles of these points into the repository, in order, and returns the refs of the last. Throws
 * BundleImportError with the point that failed.
 */
export async function importBundles(
  repository: CheckpointRepository,
  [first, ...others]: readonly RestorePoint[],
  from: BundleSource,
): Promise<BundleHeader['refs']> {
  const { hub, at, scratch, signal } = from
  const download = (point: RestorePoint, signal: AbortSignal) => {
    const newHasher = () => createHash('sha256')
    return downloadBlob(hub, at, point.bundle, { signal, newHasher, patienceMs: Number.POSITIVE_INFINITY })
  }
  const fileFor = (point: RestorePoint) => join(scratch, `${point.sha}.bundle`)
  const takeFirst = async (point: RestorePoint) => {
    const refs = repository.ahead.get(point.bundle)
    if (!refs) return await takeFirstIn(repository, point, download(point, signal), from)
    await keepNamed(repository, point, refs)
    return refs
  }
  try {
    // The first bundle is the largest, and is imported while it downloads; each other one needs the one before.
    const later = inParallel(others, abreast, signal, async (point, signal) => {
      await about(point, writePieces(download(point, signal), fileFor(point)))
    })
    later.catch(() => {})
    let refs = first ? await about(first, takeFirst(first)) : []
    await later
    for (const point of others)
      refs = await about(point, takeOneIn(repository, point, createReadStream(fileFor(point)), signal))
    return refs
  } finally {
    for (const point of others) await rm(fileFor(point), { force: true })
  }
}

/** Imports a bundle that will be needed later; an error shows then. */
export async function importAhead(
  repository: CheckpointRepository,
  point: RestorePoint,
  from: BundleSource,
): Promise<void> {
  const refs = await importBundles(repository, [point], from).catch(() => null)
  if (refs) repository.ahead.set(point.bundle, refs)
}

async function about<Result>(point: RestorePoint, doing: Promise<Result>): Promise<Result> {
  try {
    return await doing
  } catch (why) {
    throw new BundleImportError(point, why)
  }
}

async function takeFirstIn(
  repository: CheckpointRepository,
  point: RestorePoint,
  bytes: AsyncIterable<Uint8Array>,
  { hub, at, signal }: BundleSource,
): Promise<BundleHeader['refs']> {
  if (!point.packIndex || point.after) return await takeOneIn(repository, point, bytes, signal)
  const index = readBlob(hub, at, point.packIndex, { signal, patienceMs: Number.POSITIVE_INFINITY })
  // Without the index git builds one, which only takes longer.
  const orNull = index.catch(() => null)
  const { refs } = await writePack(repository, (write) => passPack(bytes, write), orNull, signal)
  await keepNamed(repository, point, refs)
  return refs
}

async function takeOneIn(
  repository: CheckpointRepository,
  point: RestorePoint,
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<BundleHeader['refs']> {
  let header: BundleHeader | null = null
  // Not `fetch` or `unbundle`: these refuse a shallow history.
  await repository.run(['index-pack', '--stdin', '--fix-thin'], {
    async input(to) {
      // Git may exit as soon as it has the whole pack, and reports its own errors.
      header = await passPack(bytes, async (piece) => (to.destroyed ? null : push(to, piece)))
    },
    signal,
  })
  const { refs } = header! as BundleHeader
  await keepNamed(repository, point, refs)
  return refs
}

async function keepNamed(
  repository: CheckpointRepository,
  point: RestorePoint,
  refs: BundleHeader['refs'],
): Promise<void> {
  const numbered = new Map<number, string[]>()
  for (const { name, sha } of refs) {
    const number = numberIn(name)
    numbered.set(number, [...(numbered.get(number) ?? []), sha])
  }
  for (const [number, shas] of numbered) await repository.keep(number, shas)
  await repository.keep(point.number ?? 0, [point.sha])
}

/**
 * Passes on the pack behind the bundle's header and returns the header. Reads to the end, where the hash of the
 * download is checked.
 */
async function passPack(
  bytes: AsyncIterable<Uint8Array>,
  pass: (piece: Uint8Array) => Promise<unknown>,
): Promise<BundleHeader> {
  let header: BundleHeader | null = null
  let begun: Uint8Array = Buffer.alloc(0)
  for await (const piece of bytes) {
    if (header) {
      await pass(piece)
      continue
    }
    begun = Buffer.concat([begun, piece])
    header = bundleHeader(begun)
    if (header) await pass(begun.subarray(header.length))
    else if (begun.length > mostHeaderBytes) break
  }
  if (!header) throw new Error('the git bundle ends within its head')
  return header
}

const numberIn = (name: string) => Number(/^refs\/farhand\/k(\d+)\//.exec(name)?.[1] ?? 0)
