import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { downloadBlob } from '@farhand/client/blobs/download-blob'
import type { Hub } from '@farhand/client/hub'
import { inParallel } from '@farhand/kit/in-parallel'
import type { RunAddress } from '@farhand/protocol/routes'
import { type BundleHeader, bundleHeader } from './bundle-header.ts'
import type { CheckpointRepository } from './checkpoint-repository.ts'
import type { Point } from './line-of-bundles.ts'
import { fileOf } from './verified-contents.ts'

const abreast = 4
const mostHeaderBytes = 64 * 1024 * 1024

export type BundlesFrom = { hub: Hub; at: RunAddress; scratch: string; signal: AbortSignal }

/** Brings the bundles of these points into the repository, in their order. Gives what the last one names. */
export async function takeBundlesIn(
  repository: CheckpointRepository,
  points: readonly Point[],
  { hub, at, scratch, signal }: BundlesFrom,
): Promise<BundleHeader['refs']> {
  const fileFor = (point: Point) => join(scratch, `${point.sha}.bundle`)
  let refs: BundleHeader['refs'] = []
  try {
    await inParallel(points, abreast, signal, async (point, signal) => {
      const newHasher = () => createHash('sha256')
      const options = { signal, newHasher, patienceMs: Number.POSITIVE_INFINITY }
      const got = await fileOf(downloadBlob(hub, at, point.bundle, options), point.bundle, fileFor(point))
      if (!got) throw new Error(`the bundle of ${point.sha} is damaged`)
    })
    for (const point of points) refs = await takeOneIn(repository, point, fileFor(point), signal)
  } finally {
    for (const point of points) await rm(fileFor(point), { force: true })
  }
  return refs
}

async function takeOneIn(
  repository: CheckpointRepository,
  point: Point,
  file: string,
  signal: AbortSignal,
): Promise<BundleHeader['refs']> {
  const { length, refs } = await headerOf(file)
  // Not `fetch` or `unbundle`: these refuse a history that was cut short.
  await repository.run(['index-pack', '--stdin', '--fix-thin'], {
    input: (to) => pipeline(createReadStream(file, { start: length }), to, { end: false, signal }),
    signal,
  })
  const numbered = new Map<number, string[]>()
  for (const { name, sha } of refs) {
    const number = numberIn(name)
    numbered.set(number, [...(numbered.get(number) ?? []), sha])
  }
  for (const [number, shas] of numbered) await repository.keep(number, shas)
  await repository.keep(point.number ?? 0, [point.sha])
  return refs
}

const numberIn = (name: string) => Number(/^refs\/farhand\/k(\d+)\//.exec(name)?.[1] ?? 0)

async function headerOf(file: string): Promise<BundleHeader> {
  const from = await open(file, 'r')
  try {
    for (let size = 64 * 1024; size <= mostHeaderBytes; size *= 4) {
      const { buffer, bytesRead } = await from.read(Buffer.alloc(size), 0, size, 0)
      const header = bundleHeader(buffer.subarray(0, bytesRead))
      if (header) return header
      if (bytesRead < size) break
    }
  } finally {
    await from.close()
  }
  throw new Error('the git bundle ends within its head')
}
