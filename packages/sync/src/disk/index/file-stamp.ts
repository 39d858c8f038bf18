import type { Stats } from 'node:fs'

const floats = new Float64Array(4)
const words = new Uint32Array(floats.buffer)

/** A number that changes when the file's size, times, inode or mode do; never 0. */
export function stampOf({ size, mtimeMs, ctimeMs, ino, mode }: Stats): number {
  floats[0] = size
  floats[1] = mtimeMs
  floats[2] = ctimeMs
  floats[3] = ino
  let a = 0x9e3779b1 ^ mode
  let b = 0x85ebca6b
  for (let at = 0; at < 8; at++) {
    a = Math.imul(a ^ words[at]!, 2654435761)
    b = Math.imul(b ^ words[at]! ^ (a >>> 15), 1597334677)
    a ^= b >>> 13
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return 4294967296 * (2097151 & b) + (a >>> 0) || 1
}

// Kernels count file times in ticks of up to 10 ms: two writes within one leave the same time behind.
const tickMs = 20

// The system sets a file's times when a write begins. Where no watch tells when it ends, one that began as long ago as this may
// still go on: a single write of a large file to a slow disk.
const longWriteMs = 10_000

/**
 * Whether a file could still be changed without its times showing it, or its times lie in the future. `isBlind`: no watch
 * tells of the end of a write.
 */
export const isRacy = ({ mtimeMs, ctimeMs }: Stats, nowMs: number, isBlind = false) =>
  nowMs - Math.max(mtimeMs, ctimeMs) < (isBlind ? longWriteMs : tickMs)
