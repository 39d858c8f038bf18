import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WorkspacePath } from '@farhand/protocol/wire/workspace-path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { agreed, memoryContract, whole } from '../engine/memory.contract.ts'
import { file } from '../hub/run-under-test.ts'
import { MemoryDamaged, openMemoryFile, rememberedLimit } from './memory-file.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farhand-memory-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const load = async () => {
  const remembered = await openMemoryFile(folder).load()
  return remembered && { ...remembered, tree: [...remembered.tree] }
}
const path = (name: string) => join(folder, name)

memoryContract('in files', () => () => openMemoryFile(folder))

describe('what a folder remembers in files', () => {
  it('S9 says how large files may be before the rest of it is read', async () => {
    expect(rememberedLimit(folder)).toBeNull()
    const base = Array.from({ length: 5000 }, (_, n) => ({
      path: `é${n}` as WorkspacePath,
      entry: file('b'),
    }))
    await openMemoryFile(folder).save({ ...whole(7, 1234), base })
    expect(rememberedLimit(folder)).toBe(5)
    writeFileSync(path('memory'), 'no memory')
    expect(rememberedLimit(folder)).toBeNull()
  })

  it('S7 a crash at any point of saving leaves the old or the new with every note, none lost or twice', async () => {
    const memory = openMemoryFile(folder)
    await memory.save(whole(1))
    memory.note({ agreements: [agreed(1)] })
    const old = { memory: readFileSync(path('memory')), notes: readFileSync(path('notes-1')) }
    const saved = memory.save(whole(2))
    memory.note({ agreements: [agreed(2)] })
    await saved
    expect(await load()).toMatchObject({ cursor: 2, agreements: [agreed(2)] })
    // Before the new whole got its name: both files of notes, the old whole, and half of the new one.
    const notes = readFileSync(path('notes-2'))
    const fresh = readFileSync(path('memory'))
    writeFileSync(path('notes-1'), old.notes)
    writeFileSync(path('memory'), old.memory)
    writeFileSync(path('memory.new'), fresh.subarray(0, 50))
    expect(await load()).toMatchObject({ cursor: 1, agreements: [agreed(1), agreed(2)] })
    // Just after: the older notes have not been removed yet, and are in the new whole.
    writeFileSync(path('memory'), fresh)
    expect(await load()).toMatchObject({ cursor: 2, agreements: [agreed(2)] })
    expect(readdirSync(folder)).not.toContain('notes-1')
    // A life that begins there saves over all of it.
    writeFileSync(path('notes-2'), notes)
    const next = openMemoryFile(folder)
    await next.load()
    await next.save(whole(3))
    expect(await load()).toEqual({ ...whole(3), agreements: [] })
    expect(readdirSync(folder).sort()).toEqual(['memory', 'notes-3'])
  })

  it('S7 a note that was cut off is no note, and does not spoil the next', async () => {
    const memory = openMemoryFile(folder)
    await memory.save(whole(1))
    memory.note({ agreements: [agreed(1)] })
    const length = readFileSync(path('notes-1')).length
    memory.note({ agreements: [agreed(2)] })
    const both = readFileSync(path('notes-1'))
    for (let cut = length; cut < both.length; cut++) {
      writeFileSync(path('notes-1'), both.subarray(0, cut))
      const next = openMemoryFile(folder)
      expect((await next.load())?.agreements).toEqual([agreed(1)])
      next.note({ agreements: [agreed(3)] })
      expect((await load())?.agreements).toEqual([agreed(1), agreed(3)])
    }
  })

  it('says which file is damaged and what to do, whatever was cut off or overwritten', async () => {
    await openMemoryFile(folder).save(whole(1, 500))
    copyFileSync(path('memory'), path('whole'))
    const bytes = readFileSync(path('whole'))
    for (let cut = 0; cut < bytes.length; cut += Math.ceil(bytes.length / 97)) {
      writeFileSync(path('memory'), bytes.subarray(0, cut))
      await expect(load(), `cut at ${cut}`).rejects.toThrow(MemoryDamaged)
    }
    for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 97)) {
      const other = Buffer.from(bytes)
      other[at]! ^= 1
      writeFileSync(path('memory'), other)
      await expect(load(), `overwritten at ${at}`).rejects.toThrow(MemoryDamaged)
    }
    writeFileSync(path('memory'), bytes)
    appendFileSync(path('notes-1'), 'nonsense\n')
    await expect(load()).rejects.toThrow(/notes-1.*--mine.*--theirs/s)
  })
})
