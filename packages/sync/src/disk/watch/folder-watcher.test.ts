import {
  appendFileSync,
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { isRacy } from '../index/file-stamp.ts'
import { hashOf, makeFolder, Watched } from './folder-watcher-under-test.ts'

describe('the folder watcher', () => {
  it('S8 finds everything that is there at the start, with the bytes of small files', async () => {
    const folder = makeFolder()
    folder.write('a')
    folder.write('deep/er/b', 'bytes')
    folder.write('large', Buffer.alloc(300_000, 7))
    chmodSync(folder.at('a'), 0o755)
    symlinkSync('nowhere', folder.at('link'))
    const watched = new Watched(folder)
    await watched.scanned()
    expect(watched.isInStep()).toBe(true)
    const content = new Map(
      watched.reports.flatMap(({ seen }) => seen.map((one) => [one.path as string, one.content])),
    )
    expect(Buffer.from(content.get('deep/er/b')!).toString()).toBe('bytes')
    expect(Buffer.from(content.get('link')!).toString()).toBe('nowhere')
    expect(content.get('large')).toBeUndefined()
    expect(watched.last.found).toEqual({ files: 4, bytes: 300_000 + 1 + 5 + 7 })
  })

  it('S7 says nothing about a file that was touched, or written again with the same bytes', async () => {
    const folder = makeFolder()
    folder.write('a', 'same')
    const watched = new Watched(folder)
    await watched.scanned()
    utimesSync(folder.at('a'), 1, 1)
    await watched.eyes.look([])
    writeFileSync(folder.at('a'), 'same')
    folder.write('end')
    await watched.until(() => watched.told.has('end'))
    expect(watched.paths).toEqual(['a', 'end'])
  })

  it('S10 leaves nothing out because the rights of a folder changed, that of the root included', async () => {
    const folder = makeFolder()
    folder.write('deep/a')
    const watched = new Watched(folder)
    await watched.scanned()
    chmodSync(folder.at('deep'), 0o700)
    chmodSync(folder.at(''), 0o700)
    folder.write('deep/end')
    await watched.until(() => watched.told.has('deep/end'))
    expect(watched.reports.flatMap(({ skipped }) => skipped)).toEqual([])
    expect(watched.paths).toEqual(['deep/a', 'deep/end'])
  })

  it('S8 notices an edit that leaves size and time as they were', async () => {
    const folder = makeFolder()
    folder.write('a', 'one')
    const watched = new Watched(folder)
    await watched.scanned()
    for (const text of ['two', 'six', 'ten']) {
      const handle = openSync(folder.at('a'), 'r+')
      writeSync(handle, text)
      closeSync(handle)
      await watched.inStep()
    }
    expect(watched.told.get('a')).toBe(`100644 ${hashOf('ten')}`)
  })

  it('sees a file that was saved by renaming another over it', async () => {
    const folder = makeFolder()
    folder.write('a', 'one')
    const watched = new Watched(folder)
    await watched.scanned()
    folder.write('.a.swp', 'two')
    renameSync(folder.at('.a.swp'), folder.at('a'))
    await watched.inStep()
    expect(watched.told.get('a')).toBe(`100644 ${hashOf('two')}`)
  })

  it('does not show a file that was emptied to be written again', async () => {
    const folder = makeFolder()
    folder.write('a', 'one')
    const patient = new Watched(folder, { emptiedMs: 3_600_000 })
    await patient.scanned()
    const handle = openSync(folder.at('a'), 'r+')
    truncateSync(folder.at('a'))
    // Hints come in order: a watcher that knows of the second has seen that the first is empty.
    folder.write('b')
    await patient.until(() => patient.told.has('b'))
    writeSync(handle, 'three')
    closeSync(handle)
    await patient.inStep()
    expect(patient.told.get('a')).toBe(`100644 ${hashOf('three')}`)
    const sizes = patient.reports.flatMap(({ seen }) => seen.map(({ path, size }) => `${path} ${size}`))
    expect(sizes).toEqual(['a 3', 'b 1', 'a 5'])
    patient.close()
    const watched = new Watched(folder)
    await watched.scanned()
    truncateSync(folder.at('a'))
    await watched.inStep()
    expect(watched.told.get('a')).toBe(`100644 ${hashOf('')}`)
  })

  it('S1 sees the exec bit, links, files that become folders and folders that become files', async () => {
    const folder = makeFolder()
    folder.write('a')
    folder.write('b/c')
    const watched = new Watched(folder)
    await watched.scanned()
    chmodSync(folder.at('a'), 0o755)
    await watched.inStep()
    unlinkSync(folder.at('a'))
    folder.write('a/now/deep')
    rmSync(folder.at('b'), { recursive: true })
    folder.write('b', 'now a file')
    await watched.inStep()
    rmSync(folder.at('a'), { recursive: true })
    symlinkSync('b', folder.at('a'))
    await watched.inStep()
    expect(watched.told.get('a')).toBe(`120000 ${hashOf('b')}`)
  })

  it('S6 does not follow a link that took the place of a folder', async () => {
    const folder = makeFolder()
    mkdirSync(path.join(folder.top, 'outside'))
    writeFileSync(path.join(folder.top, 'outside/secret'), 'secret')
    folder.write('a/secret', 'mine')
    const watched = new Watched(folder)
    await watched.scanned()
    renameSync(folder.at('a'), path.join(folder.top, 'moved'))
    symlinkSync('../outside', folder.at('a'))
    await watched.inStep()
    writeFileSync(path.join(folder.top, 'outside/secret'), 'changed')
    writeFileSync(path.join(folder.top, 'moved/secret'), 'changed')
    folder.write('end')
    await watched.inStep()
    expect(watched.told.has('a/secret')).toBe(false)
    expect(watched.paths.filter((name) => name === 'a/secret')).toHaveLength(2)
  })

  it('S13 reports folders that were renamed, moved in and moved out', async () => {
    const folder = makeFolder()
    for (let file = 0; file < 100; file++) folder.write(`a/${file % 10}/f${file}`, `bytes ${file}`)
    mkdirSync(path.join(folder.top, 'outside/x'), { recursive: true })
    writeFileSync(path.join(folder.top, 'outside/x/y'), 'came in')
    const watched = new Watched(folder)
    await watched.scanned()
    renameSync(folder.at('a'), folder.at('b'))
    await watched.inStep()
    renameSync(path.join(folder.top, 'outside'), folder.at('c'))
    await watched.inStep()
    folder.write('c/x/z')
    folder.write('b/3/new')
    await watched.inStep()
    renameSync(folder.at('b'), path.join(folder.top, 'away'))
    await watched.inStep()
    expect([...watched.told.keys()]).toEqual(['c/x/y', 'c/x/z'])
  })

  it('still sees a folder that was removed and made again under its name', async () => {
    const folder = makeFolder()
    folder.write('a/b/one')
    const watched = new Watched(folder)
    await watched.scanned()
    for (let round = 0; round < 20; round++) {
      rmSync(folder.at('a'), { recursive: true })
      folder.write('a/b/one', `round ${round}`)
      await watched.inStep()
      folder.write('a/b/two', `round ${round}`)
      await watched.inStep()
    }
  })

  it('misses none of 10,000 files in new nested folders, though no caller takes reports meanwhile', async () => {
    const folder = makeFolder()
    const watched = new Watched(folder)
    await watched.scanned()
    for (let file = 0; file < 10_000; file++)
      folder.write(`n${file % 7}/m${file % 11}/k${file % 13}/f${file}`, `${file}`)
    await watched.until(() => watched.told.size === 10_000)
    await watched.inStep()
  })

  it('misses nothing when so much happens that the system drops events', async () => {
    const folder = makeFolder()
    folder.write('a/first')
    const watched = new Watched(folder)
    await watched.scanned()
    const [one, other] = ['a/one', 'a/other'].map((name) => openSync(folder.at(name), 'w'))
    // More than a queue of 16,384 holds, taking turns because equal events in a row count as one.
    for (let round = 0; round < 20_000; round++) writeSync(round % 2 ? one! : other!, 'x', 0)
    for (const handle of [one!, other!]) closeSync(handle)
    folder.write('a/first', 'changed where no event was left for it')
    folder.write('late/new', 'and so was this')
    await watched.inStep()
  })

  it('lets no file that grows without end keep others waiting, or itself', async () => {
    const folder = makeFolder()
    const watched = new Watched(folder)
    await watched.scanned()
    const growing = setInterval(() => appendFileSync(folder.at('log'), 'x'.repeat(100_000)), 1)
    try {
      await watched.until(() => watched.told.has('log'))
      for (let file = 0; file < 10; file++) {
        folder.write(`other${file}`)
        await watched.until(() => watched.told.has(`other${file}`))
      }
      await watched.until(() => watched.paths.filter((name) => name === 'log').length > 3)
    } finally {
      clearInterval(growing)
    }
    await watched.inStep()
  })

  it('S10 knows names with spaces, newlines, emoji and 255 bytes; NFD names go by their NFC', async () => {
    const folder = makeFolder()
    const names = [
      'a b',
      'new\nline',
      '🎈',
      'x'.repeat(255),
      'é'.normalize('NFD'),
      `${'ü'.normalize('NFD')}/f`,
    ]
    for (const name of names.slice(0, 3)) folder.write(name)
    const watched = new Watched(folder)
    await watched.scanned()
    for (const name of names) folder.write(name)
    await watched.inStep()
    expect([...watched.told.keys()].sort()).toEqual(names.map((name) => name.normalize('NFC')).sort())
    for (const name of names) folder.write(name, 'changed')
    await watched.inStep()
    for (const name of names) rmSync(folder.at(name.split('/')[0]!), { recursive: true })
    await watched.inStep()
    expect(watched.told.size).toBe(0)
  })

  it('S9 S10 reports once what cannot be synced: bad names, clashes, pipes, too large files', async () => {
    const folder = makeFolder()
    folder.write('é', 'first')
    folder.write('git~1', 'bad')
    writeFileSync(Buffer.concat([Buffer.from(`${folder.root}/bad`), Buffer.from([0xff])]), 'not UTF-8')
    folder.write('big', 'x'.repeat(1001))
    const watched = new Watched(folder, { maxFileBytes: 1000 })
    await watched.scanned()
    folder.write('é'.normalize('NFD'), 'second')
    await watched.until(() => watched.skips.has('é'.normalize('NFD')))
    expect(Object.fromEntries(watched.skips)).toEqual({
      'git~1': 'bad-name',
      'bad\uFFFD': 'bad-name',
      big: 'too-large',
      ['é'.normalize('NFD')]: 'clash',
    })
    expect(watched.told.get('é')).toBe(`100644 ${hashOf('first')}`)
    folder.write('big', 'y'.repeat(1002))
    folder.write('end')
    await watched.until(() => watched.told.has('end'))
    expect(watched.reports.flatMap(({ skipped }) => skipped.map(({ path }) => path)).sort()).toEqual(
      [...watched.skips.keys()].sort(),
    )
    folder.write('big', 'small now')
    unlinkSync(folder.at('é'))
    await watched.until(
      () => watched.told.has('big') && watched.told.get('é') === `100644 ${hashOf('second')}`,
    )
    watched.eyes.limitSize(5)
    await watched.until(() => watched.skips.get('big') === 'too-large')
    watched.eyes.limitSize(5000)
    await watched.until(() => watched.told.has('big'))
  })

  it('S13 a path that became ignored is not deleted, and comes back with the rule gone', async () => {
    const folder = makeFolder()
    folder.write('build/out')
    folder.write('src/a.log')
    const watched = new Watched(folder)
    await watched.scanned()
    folder.write('.gitignore', 'build/\n*.log\n')
    await watched.until(() => watched.skips.size === 2)
    expect(Object.fromEntries(watched.skips)).toEqual({ 'build/out': 'ignored', 'src/a.log': 'ignored' })
    folder.write('build/new')
    folder.write('.farhandignore', '!*.log\n')
    await watched.until(() => watched.told.has('src/a.log'))
    expect(watched.told.has('build/new')).toBe(false)
    unlinkSync(folder.at('.gitignore'))
    await watched.inStep()
    expect([...watched.told.keys()].sort()).toEqual(['.farhandignore', 'build/new', 'build/out', 'src/a.log'])
  })

  it('S9 never looks into .git or .farhand, however they are spelled', async () => {
    const folder = makeFolder()
    folder.write('sub/.GIT/config')
    folder.write('.farhand/incoming/x')
    folder.write('sub/.farhand/incoming/lock', JSON.stringify({ pid: 0, started: '', key: 'k' }))
    folder.write('sub/.Farhand/x')
    folder.write('sub/.farhandle/ok')
    const watched = new Watched(folder)
    await watched.scanned()
    expect([...watched.told.keys()]).toEqual(['sub/.farhandle/ok'])
    expect(watched.skips.size).toBe(0)
    expect(await watched.eyes.look(['sub/.farhand/incoming/lock'])).toEqual([
      { path: 'sub/.farhand/incoming/lock', why: 'bad-name' },
    ])
  })

  it('S13 a folder that is missing or another one is not taken for deleted files', async () => {
    const folder = makeFolder()
    folder.write('a')
    const watched = new Watched(folder)
    await watched.scanned()
    renameSync(folder.root, `${folder.root}-away`)
    await watched.until(() => watched.last.root === 'missing')
    mkdirSync(folder.root)
    await watched.until(() => watched.last.root === 'replaced')
    rmSync(folder.root, { recursive: true })
    renameSync(`${folder.root}-away`, folder.root)
    folder.write('b')
    await watched.until(() => watched.told.has('b'))
    expect(watched.last.root).toBeUndefined()
    expect([...watched.told.keys()]).toEqual(['a', 'b'])
  })

  it('S8 when the system allows no more watches it scans, and says so', async () => {
    const folder = makeFolder()
    for (const name of ['a/1', 'b/1', 'c/1']) folder.write(name)
    const watched = new Watched(folder, { mostWatches: 2 })
    await watched.scanned()
    expect(watched.last.blind).toBe('ENOSPC')
    for (const name of ['a/2', 'b/2', 'c/2']) folder.write(name)
    await watched.inStep()
  })

  it('sees as much with one watch for all folders', async () => {
    const folder = makeFolder()
    folder.write('a/1')
    const watched = new Watched(folder, { recursive: true })
    await watched.scanned()
    folder.write('a/1', 'changed')
    folder.write('b/c/d')
    await watched.inStep()
  })

  it('S8 a second life reads only what has changed since', async () => {
    const folder = makeFolder()
    for (let file = 0; file < 20; file++) {
      folder.write(`f${file}`)
      utimesSync(folder.at(`f${file}`), 1000, 1000)
    }
    // Files that were changed just now are not trusted to be what they were.
    while (isRacy(statSync(folder.at('f19')), Date.now())) await new Promise(setImmediate)
    const first = new Watched(folder)
    await first.scanned()
    first.close()
    folder.write('f7', 'changed')
    unlinkSync(folder.at('f8'))
    const second = new Watched(folder)
    await second.scanned()
    expect(second.isInStep()).toBe(true)
    const read = second.reports.flatMap(({ seen }) => seen.filter(({ content }) => content))
    expect(read.map(({ path }) => path)).toEqual(['f7'])
    second.close()
    writeFileSync(path.join(folder.state, 'disk-cache'), 'damaged')
    const third = new Watched(folder)
    await third.scanned()
    expect(third.isInStep()).toBe(true)
  })

  it('looks at a path at once, and tells apart what is not synced and what is not there', async () => {
    const folder = makeFolder()
    folder.write('a', 'bytes')
    folder.write('x/.gitignore', 'b')
    folder.write('x/b')
    const watched = new Watched(folder, { maxFileBytes: 5 })
    await watched.scanned()
    folder.write('big', 'too large')
    expect(await watched.eyes.look(['a', 'x', 'x/b', 'gone/far', 'big'])).toMatchObject([
      { path: 'a', entry: { hash: hashOf('bytes') } },
      { path: 'x', entry: null },
      { path: 'x/b', why: 'ignored' },
      { path: 'gone/far', entry: null },
      { path: 'big', why: 'too-large', size: 9 },
    ])
    rmSync(folder.root, { recursive: true })
    expect(await watched.eyes.look(['a'])).toEqual([{ path: 'a', why: 'unreadable' }])
  })
})
