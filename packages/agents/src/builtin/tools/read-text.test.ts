import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { folder } from '../builtin-under-test.ts'
import { readText } from './read-text.ts'

it('a text is read as it is, and a missing file is null', async () => {
  const at = path.join(folder(), 'a')
  expect(await readText(at, 'a')).toBeNull()
  writeFileSync(at, 'über\r\n')
  expect(await readText(at, 'a')).toBe('über\r\n')
})

it('bytes that could not be written back unchanged are not read as text', async () => {
  const at = path.join(folder(), 'a')
  writeFileSync(at, Buffer.from('über', 'latin1'))
  await expect(readText(at, 'a')).rejects.toThrow('a is not text in UTF-8')
  writeFileSync(at, 'a\0b')
  await expect(readText(at, 'a')).rejects.toThrow('a is not text in UTF-8')
})

it('folders and endless files are refused', async () => {
  await expect(readText(folder(), 'a')).rejects.toThrow('a is a folder')
  await expect(readText('/dev/zero', 'a')).rejects.toThrow('a is not a regular file')
})
