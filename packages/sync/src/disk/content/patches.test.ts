import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs'
import type { FileEntry } from '@farhand/protocol/methods/files'
import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { type PatchPart, readPatch, writePatch } from '@farhand/protocol/wire/patch'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DiskFolder } from '../../engine/disk-folder.ts'
import { summedContents } from '../index/summed-contents.ts'
import { openDiskFolder } from '../open-disk-folder.ts'
import { hashOf, makeFolder } from '../watch/folder-watcher-under-test.ts'
import { assembleFile } from './assemble-file.ts'

const path = 'large' as WorkspacePath
const mebibyte = 1024 * 1024
const nameOf = (bytes: Uint8Array) => hashOf(bytes) as BlobHash
const made = (bytes: Uint8Array, patch: Uint8Array) => ({ hash: nameOf(bytes), size: bytes.length, patch })
const entry = (bytes: Uint8Array): FileEntry => ({ mode: '100644', hash: nameOf(bytes) })

async function opened() {
  const folder = makeFolder()
  const disk = await openDiskFolder({ root: folder.root, state: folder.state, maxFileBytes: 50 * mebibyte })
  onTestFinished(() => disk.close())
  const writes = async (bytes: Uint8Array) => {
    folder.write(path, bytes)
    await told(disk, bytes, () => nameOf(readFileSync(folder.at(path))))
  }
  return { folder, disk, writes }
}

/** Until the disk has said that the file is this; if it never does, what it said instead. */
async function told(disk: DiskFolder, bytes: Uint8Array, now: () => string): Promise<void> {
  const hash = nameOf(bytes)
  const heard: string[] = []
  const patience = AbortSignal.timeout(100_000)
  for (;;) {
    const { seen, skipped, root, blind } = await disk.next(patience).catch(() => {
      throw new Error(`expected ${hash}, heard ${heard.join(', ') || 'nothing'}; the file is ${now()}`)
    })
    if (seen.some((one) => one.entry?.hash === hash)) return
    heard.push(
      ...seen.map(({ entry, size }) => `${entry?.hash} of ${size}`),
      ...skipped.map(({ why }) => why),
      ...[root, blind].filter((trouble) => trouble !== undefined),
    )
  }
}

/** What a patch makes, put together in the plainest way. */
function patched(base: Uint8Array, patch: Uint8Array): Buffer {
  const bytesOf = (part: PatchPart) =>
    part instanceof Uint8Array ? part : base.subarray(part.start, part.end)
  return Buffer.concat(readPatch(patch).parts.map(bytesOf))
}

const before = randomBytes(6 * mebibyte + 77_777)
const middle = 3 * mebibyte + 100
const withByte = (...places: number[]) => {
  const bytes = Buffer.from(before)
  for (const place of places) bytes[place]! ^= 1
  return bytes
}
const changes: [what: string, after: Buffer, most: number][] = [
  ['one byte changed', withByte(middle), 600_000],
  ['its first and its last byte changed', withByte(0, before.length - 1), 1_200_000],
  ['something appended', Buffer.concat([before, Buffer.from('more')]), 600_000],
  ['something put before it', Buffer.concat([Buffer.from('more'), before]), 600_000],
  [
    'something put into its middle',
    Buffer.concat([before.subarray(0, middle), Buffer.from('more'), before.subarray(middle)]),
    1_200_000,
  ],
  [
    'something taken out of its middle',
    Buffer.concat([before.subarray(0, middle), before.subarray(middle + 1_000_000)]),
    1_200_000,
  ],
  ['its end cut off', before.subarray(0, 5 * mebibyte + 3), 600_000],
  ['its beginning cut off', before.subarray(3), 600_000],
]

describe('a large file', () => {
  it.each(changes)('W35 with %s is sent as a patch', async (_, after, most) => {
    const { disk, writes } = await opened()
    await writes(before)
    await writes(after)
    const patch = await disk.patch!(path, entry(after), nameOf(before))
    expect(readPatch(patch!).base).toBe(nameOf(before))
    expect(patched(before, patch!).equals(after)).toBe(true)
    expect(patch!.length).toBeLessThan(most)
  })

  it.each(changes)('W35 with %s is made from the old file and the patch', async (_, after) => {
    const { folder, disk, writes } = await opened()
    await writes(before)
    const theirs = await opened()
    await theirs.writes(before)
    await theirs.writes(after)
    const patch = await theirs.disk.patch!(path, entry(after), nameOf(before))
    const staged = (await disk.stagePatched!(path, made(after, patch!)))!
    const change = { path, from: entry(before), to: entry(after), size: after.length, staged }
    expect(await disk.apply([change])).toEqual([{ is: 'done' }])
    expect(readFileSync(folder.at(path)).equals(after)).toBe(true)
    // It is known well enough to be the base of what comes next.
    // Changed from the random byte that is there: written again with the same byte, it would be no change to report.
    const next = Buffer.from(after)
    next[middle]! ^= 2
    await writes(next)
    const back = await disk.patch!(path, entry(next), nameOf(after))
    expect(patched(after, back!).equals(next)).toBe(true)
  })

  it('W35 is not sent as a patch if little of it is the same, if it is small, or if its base was not read', async () => {
    const { disk, writes } = await opened()
    await writes(before)
    const other = randomBytes(before.length)
    await writes(other)
    expect(await disk.patch!(path, entry(other), nameOf(before))).toBeNull()
    expect(await disk.patch!(path, entry(other), nameOf(Buffer.from('unread')))).toBeNull()
    const [small, smaller] = [before.subarray(0, 2 * mebibyte), before.subarray(0, 2 * mebibyte - 1)]
    await writes(small)
    await writes(smaller)
    expect(await disk.patch!(path, entry(smaller), nameOf(small))).toBeNull()
  })

  it('W35 is not sent as a patch when it has changed since', async () => {
    const { folder, disk, writes } = await opened()
    await writes(before)
    await writes(withByte(1))
    folder.write(path, withByte(1, 2))
    expect(await disk.patch!(path, entry(withByte(1)), nameOf(before))).toBeNull()
  })

  it('S6 W35 is not made from another base than the patch was made for, nor from a torn patch', async () => {
    const { folder, disk, writes } = await opened()
    await writes(before)
    const after = withByte(middle)
    const byte = after.subarray(middle, middle + 1)
    const rest = { start: middle + 1, end: before.length }
    const patch = writePatch({ base: nameOf(before), parts: [{ start: 0, end: middle }, byte, rest] })
    expect(await disk.stagePatched!(path, made(before, patch))).toBeNull()
    expect(await disk.stagePatched!(path, made(after, patch.subarray(0, -5)))).toBeNull()
    expect(await disk.stagePatched!(path, made(after, patch.subarray(0, -17)))).toBeNull()
    folder.write(path, withByte(7))
    expect(await disk.stagePatched!(path, made(after, patch))).toBeNull()
    folder.write(path, before.subarray(0, 1000))
    expect(await disk.stagePatched!(path, made(after, patch))).toBeNull()
    folder.write(path, before)
    expect(await disk.stagePatched!(path, made(after, patch))).not.toBeNull()
    await expect(disk.stagePatched!('none' as WorkspacePath, made(after, patch))).rejects.toThrow('ENOENT')
    const [life] = readdirSync(folder.at('.farhand/incoming')).filter((name) => name.includes('-'))
    expect(readdirSync(folder.at(`.farhand/incoming/${life}`))).toHaveLength(1)
  })

  it('S6 W35 is not begun if a small patch would make it too large: a hub cannot fill the disk', async () => {
    const folder = makeFolder()
    folder.write(path, before)
    const whole = { start: 0, end: before.length }
    const patch = writePatch({ base: nameOf(before), parts: [whole, whole] })
    const into = openSync(folder.at('into'), 'w')
    try {
      expect(await assembleFile(folder.at(path), into, made(before, patch), summedContents)).toBe(false)
      expect(fstatSync(into).size).toBe(0)
    } finally {
      closeSync(into)
    }
  })

  it.runIf(existsSync('/dev/full'))('S6 W35 is not made on a full disk, and that is said', async () => {
    const folder = makeFolder()
    folder.write(path, before)
    const patch = writePatch({ base: nameOf(before), parts: [{ start: 0, end: before.length }] })
    const into = openSync('/dev/full', 'w')
    try {
      const making = assembleFile(folder.at(path), into, made(before, patch), summedContents)
      await expect(making).rejects.toMatchObject({ code: 'ENOSPC' })
    } finally {
      closeSync(into)
    }
  })
})
