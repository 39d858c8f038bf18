import { mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readExactly, writeWhole } from './disk.ts'
import { nodeDisk } from './node-disk.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'farhand-disk-'))
})
afterEach(() => rm(dir, { recursive: true }))

describe('the disk of this machine', () => {
  it('opens a file only if it is there or may be made', async () => {
    const path = join(dir, 'file')
    expect(await nodeDisk.open(path, false)).toBeNull()
    const made = await nodeDisk.open(path, true)
    await made?.close()
    const again = await nodeDisk.open(path, false)
    expect(await again?.size()).toBe(0)
    await again?.close()
  })

  it('writes, reads and cuts at any position', async () => {
    const file = (await nodeDisk.open(join(dir, 'file'), true))!
    await writeWhole(file, Buffer.from('hello world'), 0, 4)
    await writeWhole(file, Buffer.from('W'), 6, 4)
    expect((await readExactly(file, 6, 5)).toString()).toBe('World')
    await expect(readExactly(file, 6, 6)).rejects.toThrow('ends 1 bytes before')
    await file.truncate(5)
    expect(await file.size()).toBe(5)
    await file.close()
    expect(await readFile(join(dir, 'file'), 'utf8')).toBe('hello')
  })

  it('does not cut a file that exists when it is opened', async () => {
    await writeFile(join(dir, 'file'), 'hello')
    const file = await nodeDisk.open(join(dir, 'file'), true)
    expect(await file?.size()).toBe(5)
    await file?.close()
  })

  it.runIf(process.platform === 'linux')('W5 waits for the disk with every write', async () => {
    const file = (await nodeDisk.open(join(dir, 'file'), true))!
    const waits: boolean[] = []
    for (const fd of await readdir('/proc/self/fd')) {
      const target = await readlink(`/proc/self/fd/${fd}`).catch(() => '')
      if (target !== join(dir, 'file')) continue
      const info = await readFile(`/proc/self/fdinfo/${fd}`, 'utf8')
      const flags = Number.parseInt(info.match(/^flags:\s+(\d+)/m)?.[1] ?? '0', 8)
      waits.push((flags & 0o10000) !== 0)
    }
    expect(waits).toEqual([true])
    await file.close()
  })

  it('replaces a small file whole and leaves nothing else behind', async () => {
    await nodeDisk.replace(join(dir, 'small'), Buffer.from('one'))
    await nodeDisk.replace(join(dir, 'small'), Buffer.from('two'))
    expect((await nodeDisk.load(join(dir, 'small')))?.toString()).toBe('two')
    expect(await nodeDisk.load(join(dir, 'other'))).toBeNull()
    await expect(nodeDisk.replace(join(dir, 'none', 'small'), Buffer.from('x'))).rejects.toThrow('ENOENT')
    expect(await readdir(dir)).toEqual(['small'])
  })

  it('makes a folder and those above it', async () => {
    await nodeDisk.makeFolder(join(dir, 'a', 'b'))
    await nodeDisk.makeFolder(join(dir, 'a', 'b'))
    expect(await readdir(join(dir, 'a'))).toEqual(['b'])
  })
})
