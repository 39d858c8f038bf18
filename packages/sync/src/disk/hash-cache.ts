import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import type { BlobHash } from '@farhand/protocol/blob-hash'
import type { FileMode } from '@farhand/protocol/methods/files'
import type { WorkspacePath } from '@farhand/protocol/workspace-path'
import { KnownFiles } from './known-files.ts'
import { hashOf } from './reading.ts'

const modes: FileMode[] = ['100644', '100755', '120000']
const title = 'farhand disk 1\n'
const digestBytes = 71
const rowBytes = 49

/** What an earlier life knew of the files here. Whatever cannot be read, or is not whole, counts as nothing known. */
export function loadKnown(file: string): KnownFiles {
  const known = new KnownFiles()
  try {
    const bytes = readFileSync(file)
    const body = bytes.subarray(title.length + digestBytes)
    if (bytes.toString('latin1', 0, title.length) !== title) return known
    if (bytes.toString('latin1', title.length, title.length + digestBytes) !== hashOf(body)) return known
    fill(known, body)
  } catch {
    // Not there yet, or not readable: everything is hashed again, which is all that this spares us.
  }
  return known
}

function fill(known: KnownFiles, body: Buffer): void {
  const rows = body.readUInt32LE(0)
  const paths = body.toString('utf8', 4 + rows * rowBytes).split('\0')
  const hashes = body.toString('hex', 4 + rows * 17, 4 + rows * rowBytes)
  for (let row = 0; row < rows; row++) {
    const mode = modes[body[4 + rows * 16 + row]!]!
    const hash = `sha256_${hashes.slice(row * 64, row * 64 + 64)}` as BlobHash
    known.set(paths[row] as WorkspacePath, {
      entry: { mode, hash },
      stamp: body.readDoubleLE(4 + row * 8),
      size: body.readDoubleLE(4 + rows * 8 + row * 8),
    })
  }
}

/** Keeps what is known for the next life. A crash meanwhile leaves what was kept before. */
export function saveKnown(file: string, known: KnownFiles): void {
  const paths = [...known.below('')]
  const rows = paths.length
  const head = Buffer.alloc(4 + rows * rowBytes)
  head.writeUInt32LE(rows)
  paths.forEach((path, row) => {
    const { entry, stamp, size } = known.get(path)!
    head.writeDoubleLE(stamp, 4 + row * 8)
    head.writeDoubleLE(size, 4 + rows * 8 + row * 8)
    head[4 + rows * 16 + row] = modes.indexOf(entry.mode)
    head.write(entry.hash.slice(-64), 4 + rows * 17 + row * 32, 'hex')
  })
  const body = Buffer.concat([head, Buffer.from(paths.join('\0'))])
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, Buffer.concat([Buffer.from(title + hashOf(body), 'latin1'), body]))
  renameSync(draft, file)
}
