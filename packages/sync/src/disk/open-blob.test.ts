import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openBlob } from './open-blob.ts'

it('a file that is gone when it is opened has no contents, and is no error', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'farhand-blob-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = path.join(folder, 'a.txt')
  expect(await openBlob(file)).toBeNull()
  await writeFile(file, 'here')
  expect(await (await openBlob(file))?.text()).toBe('here')
})
