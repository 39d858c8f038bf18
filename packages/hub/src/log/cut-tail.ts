import { join } from 'node:path'
import { cutBack, type DiskFile, readExactly, writeWhole } from './disk/disk.ts'
import type { LogPlace } from './log-place.ts'

const chunkBytes = 1024 * 1024

/** Cuts what a crash left after the last good line (W6). If that is more than a part of one line, it is saved beside the log first. */
export async function cutTail(place: LogPlace, file: DiskFile, at: number, size: number): Promise<void> {
  const { run, report } = place
  if (await hasLineFeed(file, at, size)) {
    const saved = await saveTail(place, file, at, size)
    report(
      { run, at, bytes: size - at, saved },
      'the log had damaged lines: they were cut, and saved beside it',
    )
  } else {
    report({ run, at, bytes: size - at }, 'the last line of the log was not whole: it was cut')
  }
  await cutBack(file, size, at, place.writeBytesMax)
}

async function hasLineFeed(file: DiskFile, from: number, to: number): Promise<boolean> {
  for await (const [bytes] of chunks(file, from, to)) if (bytes.includes(0x0a)) return true
  return false
}

async function saveTail(place: LogPlace, file: DiskFile, from: number, to: number): Promise<string> {
  const { disk, folder, run } = place
  let path = ''
  let taken: DiskFile | null = null
  for (let n = 1; n === 1 || taken; n += 1) {
    path = join(folder, `${run}.cut-${n}`)
    taken = await disk.open(path, false)
    await taken?.close()
  }
  const copy = (await disk.open(path, true))!
  try {
    for await (const [bytes, at] of chunks(file, from, to))
      await writeWhole(copy, bytes, at - from, chunkBytes)
  } finally {
    await copy.close()
  }
  await disk.syncFolder(folder)
  return path
}

/** The first line feed or zero byte from `at` on, and where it is; null if there is none. */
export async function firstBreak(
  file: DiskFile,
  from: number,
  to: number,
): Promise<{ byte: 'line-feed' | 'zero'; at: number } | null> {
  for await (const [bytes, at] of chunks(file, from, to)) {
    const lineFeed = bytes.indexOf(0x0a)
    const zero = bytes.subarray(0, lineFeed < 0 ? bytes.length : lineFeed).indexOf(0)
    if (zero >= 0) return { byte: 'zero', at: at + zero }
    if (lineFeed >= 0) return { byte: 'line-feed', at: at + lineFeed }
  }
  return null
}

async function* chunks(file: DiskFile, from: number, to: number): AsyncGenerator<[Buffer, number]> {
  for (let at = from; at < to; at += chunkBytes) {
    yield [await readExactly(file, at, Math.min(chunkBytes, to - at)), at]
  }
}
