import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bothWays, foldersOnAHub } from './two-folders.ts'

const linked = foldersOnAHub()

const targets: Record<string, string> = {
  'to a file inside': 'inside.txt',
  'to a folder inside': 'folder',
  'to nothing': 'nowhere/at/all',
  'out of the workspace': '../../../etc/hostname',
  'to an absolute place': '/etc',
  'to itself': 'to itself',
  'to its own folder': '.',
}

describe.each(bothWays)('links of the $here', ({ here, there }) => {
  it('S1 are sent as links, no matter where they lead, and their targets are not sent', async () => {
    const folders = await linked()
    const before = await folders.begin({ 'inside.txt': 'inside', 'folder/a.txt': 'a' })
    for (const [path, target] of Object.entries(targets)) folders[here].link(path, target)
    const tree = await folders.settled()
    for (const [path, target] of Object.entries(targets))
      expect(readlinkSync(folders[there].at(path)), path).toBe(target)
    expect(tree.size).toBe(before.size + Object.keys(targets).length)
    for (const path of Object.keys(targets)) folders[here].remove(path)
    expect(await folders.settled()).toEqual(before)
    expect(folders[there].read('inside.txt')).toBe('inside')
  })

  it('S1 two links that lead to each other are two links', async () => {
    const folders = await linked()
    await folders.begin()
    folders[here].link('a', 'b')
    folders[here].link('b', 'a')
    await folders.settled()
    expect([readlinkSync(folders[there].at('a')), readlinkSync(folders[there].at('b'))]).toEqual(['b', 'a'])
  })

  it('S1 a link that leads elsewhere now, becomes a file, and a link again, is each of them there', async () => {
    const folders = await linked()
    await folders.begin({ 'a.txt': 'a', 'b.txt': 'b' })
    folders[here].link('x', 'a.txt')
    await folders.settled()
    folders[here].remove('x')
    folders[here].link('x', 'b.txt')
    await folders.settled()
    expect(readlinkSync(folders[there].at('x'))).toBe('b.txt')
    folders[here].remove('x')
    folders[here].write('x', 'a file')
    await folders.settled()
    expect(lstatSync(folders[there].at('x')).isFile()).toBe(true)
    folders[here].remove('x')
    folders[here].link('x', 'a.txt')
    await folders.settled()
    expect(readlinkSync(folders[there].at('x'))).toBe('a.txt')
    expect([folders[there].read('a.txt'), folders[there].read('b.txt')]).toEqual(['a', 'b'])
  })

  it('S6 nothing is written or deleted through a folder that has become a link out of the workspace', async () => {
    const folders = await linked()
    await folders.begin({ 'folder/a.txt': 'a', 'folder/b.txt': 'b', 'kept.txt': 'kept' })
    const outside = join(folders.home, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'a.txt'), 'not yours')
    await folders.stopAll()
    folders[there].write('folder/a.txt', 'edited')
    folders[there].write('folder/new.txt', 'new')
    folders[there].remove('folder/b.txt')
    rmSync(folders[here].at('folder'), { recursive: true })
    symlinkSync(outside, folders[here].at('folder'))
    await folders.startAll()
    for (const name of ['a.txt', 'later.txt', 'deep/down.txt']) {
      if (lstatSync(folders[there].at('folder'), { throwIfNoEntry: false })?.isDirectory())
        folders[there].write(`folder/${name}`, `${name}, later`)
    }
    await folders.settled()
    expect(readdirSync(outside)).toEqual(['a.txt'])
    expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('not yours')
  })
})
