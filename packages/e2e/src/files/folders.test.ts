import { chmodSync, cpSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LinkedFolder } from './linked-folder.ts'
import { bothWays, foldersOnAHub } from './two-folders.ts'

const linked = foldersOnAHub()

const thousand = (folder: string) =>
  Array.from({ length: 1000 }, (_, n) => `${folder}/${n % 40}/${n % 7}/file-${n}.txt`)

function writeThousand(folder: LinkedFolder, under: string): void {
  for (const path of thousand(under)) folder.write(path, `content of ${path}`)
}

describe.each(bothWays)('folders of the $here', ({ here, there }) => {
  it('S2 S13 a thousand files at once, their folder renamed, some of them moved: all of it arrives', async () => {
    const folders = await linked()
    await folders.begin()
    writeThousand(folders[here], 'many')
    expect((await folders.settled()).size).toBe(1001)
    folders[here].rename('many', 'deeply/renamed')
    const renamed = await folders.settled()
    expect(renamed.size).toBe(1001)
    expect(existsSync(folders[there].at('many'))).toBe(false)
    folders[here].rename('deeply/renamed/3', 'deeply/moved')
    expect((await folders.settled()).size).toBe(1001)
    expect(folders[here].questions).toEqual([])
  })

  it('S2 a file becomes a folder and a file again', async () => {
    const folders = await linked()
    await folders.begin({ thing: 'a file', 'kept.txt': 'kept' })
    folders[here].remove('thing')
    folders[here].write('thing/inside/deep.txt', 'in a folder')
    folders[here].write('thing/other.txt', 'too')
    expect([...(await folders.settled()).keys()].sort()).toEqual([
      'kept.txt',
      'thing/inside/deep.txt',
      'thing/other.txt',
    ])
    folders[here].remove('thing')
    folders[here].write('thing', 'a file again')
    await folders.settled()
    expect(folders[there].read('thing')).toBe('a file again')
  })

  it('S1 the exec bit alone is synced, there and back, and the content stays', async () => {
    const folders = await linked()
    await folders.begin({ 'run.sh': '#!/bin/sh\n' })
    chmodSync(folders[here].at('run.sh'), 0o755)
    await folders.settled()
    expect(statSync(folders[there].at('run.sh')).mode & 0o100).toBe(0o100)
    chmodSync(folders[there].at('run.sh'), 0o644)
    await folders.settled()
    expect(statSync(folders[here].at('run.sh')).mode & 0o111).toBe(0)
    expect(folders[there].read('run.sh')).toBe('#!/bin/sh\n')
  })

  it('S2 a folder that is moved in arrives with all that is in it; moved out, it goes', async () => {
    const folders = await linked()
    await folders.begin({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' })
    const outside = join(folders.home, 'outside')
    for (const path of ['x.txt', 'deep/er/y.txt']) {
      mkdirSync(join(outside, path, '..'), { recursive: true })
      cpSync(folders[here].at('a.txt'), join(outside, path))
    }
    renameSync(outside, folders[here].at('moved'))
    expect([...(await folders.settled()).keys()].sort()).toEqual([
      'a.txt',
      'b.txt',
      'c.txt',
      'moved/deep/er/y.txt',
      'moved/x.txt',
    ])
    // What is in it is still watched, at any depth.
    folders[here].write('moved/deep/er/y.txt', 'edited after the move')
    await folders.settled()
    expect(folders[there].read('moved/deep/er/y.txt')).toBe('edited after the move')
    renameSync(folders[here].at('moved'), outside)
    expect((await folders.settled()).size).toBe(3)
  })

  it('S2 rm -rf and the same folder again, with other files in it: what was only in the first one goes', async () => {
    const folders = await linked()
    await folders.begin({ 'f/old.txt': 'old', 'f/both.txt': 'old', 'kept.txt': 'kept' })
    folders[here].remove('f')
    folders[here].write('f/both.txt', 'new')
    folders[here].write('f/new/deep.txt', 'new')
    expect([...(await folders.settled()).keys()].sort()).toEqual(['f/both.txt', 'f/new/deep.txt', 'kept.txt'])
    expect(folders[there].read('f/both.txt')).toBe('new')
    folders[here].write('f/new/deep.txt', 'and it is watched')
    await folders.settled()
    expect(folders[there].read('f/new/deep.txt')).toBe('and it is watched')
  })

  it('S2 a folder deleted here with a new file inside it there: the new file lives, on both sides', async () => {
    const folders = await linked()
    await folders.begin({ 'f/a.txt': 'a', 'f/b.txt': 'b', 'kept.txt': 'kept' })
    await folders.stopAll()
    folders[here].remove('f')
    folders[there].write('f/new.txt', 'new')
    expect([...(await folders.startAll()).keys()].sort()).toEqual(['f/new.txt', 'kept.txt'])
    folders[here].remove('f')
    folders[there].write('f/newer.txt', 'newer')
    const tree = await folders.settled()
    expect([...tree.keys()]).toContain('f/newer.txt')
  })

  it('S1 an empty folder is not synced, and one that becomes empty is removed on the other side', async () => {
    const folders = await linked()
    await folders.begin({ 'f/g/a.txt': 'a', 'kept.txt': 'kept' })
    mkdirSync(folders[here].at('empty'))
    folders[here].remove('f/g/a.txt')
    await folders.settled()
    expect(existsSync(folders[there].at('empty'))).toBe(false)
    expect(existsSync(folders[there].at('f'))).toBe(false)
    expect(existsSync(folders[here].at('f/g'))).toBe(true)
  })
})
