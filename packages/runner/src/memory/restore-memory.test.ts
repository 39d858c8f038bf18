import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uploadBlobs } from '@farhand/client/blobs/upload-blobs'
import { sampleHash } from '@farhand/protocol/events/sample-log'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { expect, it, onTestFinished } from 'vitest'
import { RunUnderTest } from '../runner-under-test.ts'
import { memoryFilter } from './memory-filter.ts'
import { blobHashOf } from './memory-snapshots.ts'
import { restoreMemory } from './restore-memory.ts'

const { signal } = new AbortController()
const filter = memoryFilter({ files: ['**'], never: [] })

it('W38 a memory is put back as it was, in place of what is there, or not at all', async () => {
  const { user: hub, at } = await RunUnderTest.begin()
  const outside = mkdtempSync(join(tmpdir(), 'farhand-memory-'))
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }))
  const folder = join(outside, 'agent')
  const store = async (text: string) => {
    const bytes = new TextEncoder().encode(text)
    const hash = blobHashOf(bytes)
    await uploadBlobs(hub, at, [{ hash, size: bytes.length, open: () => bytes }])
    return hash
  }
  const put = async (...files: unknown[]) =>
    restoreMemory(await store(JSON.stringify({ files })), { hub, at, folder, filter, signal })
  const [one, two] = [await store('one'), await store('two')]
  const file = { path: 'a/b', mode: '600', size: 6, parts: [one, two] }

  mkdirSync(join(folder, 'old'), { recursive: true })
  writeFileSync(join(folder, 'old/state.db-wal'), 'of another one')
  writeFileSync(join(folder, 'auth.json'), 'mine')
  // What lies in the way of its files leads nowhere else.
  symlinkSync(outside, join(folder, 'a'))
  symlinkSync(join(outside, 'target'), join(folder, 'c'))
  await put(file, { ...file, path: 'c', mode: '644' }, { path: 'empty', mode: '600', size: 0, parts: [] })
  expect(readFileSync(join(folder, 'a/b'), 'utf8')).toBe('onetwo')
  expect(statSync(join(folder, 'c')).mode & 0o777).toBe(0o644)
  expect(readFileSync(join(folder, 'empty'), 'utf8')).toBe('')
  expect(existsSync(join(folder, 'old/state.db-wal'))).toBe(false)
  expect(readFileSync(join(folder, 'auth.json'), 'utf8'), 'what does not travel stays').toBe('mine')
  expect([existsSync(join(outside, 'b')), existsSync(join(outside, 'target'))]).toEqual([false, false])

  const refused: [unknown[], RegExp][] = [
    [[{ ...file, path: '../b' }], /its list is none/],
    [[{ ...file, path: '/b' }], /its list is none/],
    [[{ ...file, path: 'auth.json' }], /does not travel/],
    [[{ ...file, parts: [one, sampleHash('x')] }], /lost a part of it/],
    [[{ ...file, size: 5 }], /not as long/],
    [[{ ...file, size: 1e12 }], /too large/],
  ]
  for (const [files, why] of refused) await expect(put(...files)).rejects.toThrow(why)
  const nothing = BlobHash.parse(sampleHash('y'))
  await expect(restoreMemory(nothing, { hub, at, folder, filter, signal })).rejects.toThrow(
    /lost a part of it/,
  )
  expect(readFileSync(join(folder, 'a/b'), 'utf8'), 'nothing was touched').toBe('onetwo')
})
