import {
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import process from 'node:process'
import { systemRenames } from './renames.ts'

/**
 * A program of its own that saves one file over and over, by rename and in place, and knows exactly which of its
 * versions it overwrote itself. It prints them at the end: no other program may have overwritten one.
 */
const [file = '', spare = '', count = '0'] = process.argv.slice(2)
const overwritten: string[] = []
const { exchange, toFreeName } = systemRenames()

function saveByRename(text: string): void {
  writeFileSync(spare, text)
  for (;;) {
    if (exchange!(spare, file) === null) {
      overwritten.push(readFileSync(spare, 'utf8'))
      rmSync(spare)
      return
    }
    if (toFreeName(spare, file) === null) return
  }
}

function saveInPlace(text: string, how: 'truncate' | 'overwrite'): boolean {
  let handle: number
  try {
    handle = openSync(file, 'r+')
  } catch {
    return false
  }
  const held = Buffer.alloc(64)
  const length = readSync(handle, held, 0, 64, 0)
  overwritten.push(held.toString('utf8', 0, length))
  if (how === 'truncate') ftruncateSync(handle)
  writeSync(handle, text, 0)
  closeSync(handle)
  return true
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

process.stdout.write('ready\n')
for (let version = 1; version <= Number(count); version++) {
  const text = `theirs ${String(version).padStart(6, '0')}`
  const how = version % 3
  if (how === 0 || !saveInPlace(text, how === 1 ? 'truncate' : 'overwrite')) saveByRename(text)
  // Mostly as fast as it can; now and then long enough for stamps to be trusted again.
  if (version % 50 === 0) pause(30)
  else if (version % 7 === 0) pause(1)
}
process.stdout.write(`${JSON.stringify(overwritten)}\n`)
