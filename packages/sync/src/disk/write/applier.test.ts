import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { stampOf } from '../index/file-stamp.ts'
import { at, fileOf, WorkspaceUnderTest } from './applier-under-test.ts'
import { plainRenames, systemRenames } from './renames.ts'

const done = { is: 'done' }
const changed = { is: 'changed' }
const inTheWay = { is: 'skipped', why: 'in-the-way' }

describe.each([
  ['with names that can be traded', systemRenames],
  ['on a system without such calls', () => plainRenames],
])('applying %s', (_how, renames) => {
  let here: WorkspaceUnderTest
  beforeEach(() => {
    here = new WorkspaceUnderTest({ renames })
  })
  afterEach(() => {
    here.applier.close()
    here.remove()
  })
  const write = (path: string, text: string) => {
    writeFileSync(here.path(path), text)
    here.know(path)
  }

  it('S6 creates, replaces and deletes files, with the folders they need and no empty ones after them', () => {
    expect(here.put('a/b/c', 'one')).toEqual(done)
    expect(here.put('a/b/c', 'two')).toEqual(done)
    expect(here.put('a/d', 'three')).toEqual(done)
    expect(here.tree()).toEqual({ 'a/b/c': 'two', 'a/d': 'three' })
    expect(here.put('a/b/c', null)).toEqual(done)
    expect(here.tree()).toEqual({ 'a/d': 'three' })
    expect(here.put('a/d', null)).toEqual(done)
    expect(here.tree()).toEqual({})
    expect(here.letTimePass()).toEqual([])
    expect(here.incoming()).toEqual([])
    expect(here.unexpected).toEqual([])
  })

  it('S7 is not taken for a change afterwards: what it wrote has the stamp it noted', () => {
    here.put('a', 'one')
    here.put('a', 'two')
    const known = here.known.get(at('a'))!
    expect(known.entry).toEqual(fileOf('two'))
    expect(stampOf(lstatSync(here.path('a')))).toBe(known.stamp)
  })

  it('S7 every later write of the same size leaves another stamp, within the same tick of the clock too', () => {
    for (let round = 0; round < 200; round++) {
      here.put('a', `ours ${round % 10}`)
      writeFileSync(here.path('a'), `them ${round % 10}`)
      expect(stampOf(lstatSync(here.path('a')))).not.toBe(here.known.get(at('a'))!.stamp)
      here.know('a')
    }
  })

  it('S5 never writes bytes that do not belong to the entry', () => {
    const change = { ...here.change('a', 'right'), content: Buffer.from('wrong') }
    expect(here.applier.apply([change])).toMatchObject([{ is: 'failed' }])
    expect(here.tree()).toEqual({})
  })

  it('S6 leaves a file alone that changed since it was scanned, and asks for another look', () => {
    write('a', 'seen')
    const over = here.change('a', 'ours')
    const away = here.change('a', null)
    writeFileSync(here.path('a'), 'newer')
    expect(here.applier.apply([over])).toEqual([changed])
    expect(here.applier.apply([away])).toEqual([changed])
    expect(here.tree()).toEqual({ a: 'newer' })
    expect(here.unexpected).toEqual(['a', 'a'])
  })

  it('S6 leaves a file alone that was never scanned, or was deleted meanwhile', () => {
    writeFileSync(here.path('new'), 'unseen')
    write('gone', 'seen')
    rmSync(here.path('gone'))
    const answers = here.applier.apply([here.change('new', 'ours'), here.change('gone', 'ours')])
    expect(answers).toEqual([changed, changed])
    expect(here.tree()).toEqual({ new: 'unseen' })
  })

  it('S6 compares the bytes if a stamp proves nothing', () => {
    write('same', 'seen')
    write('other', 'seen')
    for (const path of ['same', 'other']) {
      here.known.set(at(path), { ...here.known.get(at(path))!, stamp: 0 })
    }
    writeFileSync(here.path('other'), 'edit')
    const answers = here.applier.apply([here.change('same', 'ours'), here.change('other', 'ours')])
    expect(answers).toEqual([done, changed])
    expect(here.tree()).toEqual({ same: 'ours', other: 'edit' })
  })

  it('S9 never writes over a file that is not synced', () => {
    writeFileSync(here.path('ignored'), 'mine')
    here.skipped.set('ignored', 'ignored').set('rule', 'ignored')
    spawnSync('mkfifo', [here.path('pipe')])
    mkdirSync(here.path('folder'))
    writeFileSync(here.path('folder/unsynced'), 'mine')
    const paths = ['ignored', 'pipe', 'folder', 'ignored/below', 'rule']
    const answers = here.applier.apply(paths.map((path) => here.change(path, 'ours')))
    expect(answers).toEqual([inTheWay, inTheWay, inTheWay, inTheWay, { is: 'skipped', why: 'ignored' }])
    expect(here.tree()).toEqual({ ignored: 'mine', pipe: '?', 'folder/unsynced': 'mine' })
  })

  it('S10 never writes into .git or .farhand, nor out of the workspace', () => {
    for (const path of [
      '.git/config',
      'a/.GIT/hooks/x',
      '../out',
      '.farhand/x',
      '.Farhand',
      'sub/.farhand/incoming/lock',
      'sub/.FARHAND',
      'sub/.farhand. /x',
      'sub/.far\u200bhand/x',
      'sub\\.farhand\\x',
      'sub/.farhand-incoming-1/x',
      '/etc/x',
      'a//b',
    ]) {
      expect(here.put(path, 'x'), path).toEqual({ is: 'skipped', why: 'bad-name' })
    }
    expect(here.tree()).toEqual({})
  })

  it('S6 never writes or deletes through a linked parent, inside or outside of the workspace', () => {
    mkdirSync(join(here.root, '../outside'))
    mkdirSync(here.path('real'))
    write('real/file', 'kept')
    writeFileSync(join(here.root, '../outside/file'), 'kept')
    symlinkSync('../outside', here.path('out'))
    symlinkSync('real', here.path('in'))
    symlinkSync('loop', here.path('loop'))
    for (const link of ['out', 'in', 'loop']) {
      expect(here.put(`${link}/new`, 'x'), link).toEqual(inTheWay)
      expect(here.put(`${link}/deep/new`, 'x'), link).toEqual(inTheWay)
      here.known.set(at(`${link}/file`), here.known.get(at('real/file'))!)
      expect(here.put(`${link}/file`, null), link).toEqual(changed)
    }
    expect(readFileSync(join(here.root, '../outside/file'), 'utf8')).toBe('kept')
    expect(readFileSync(here.path('real/file'), 'utf8')).toBe('kept')
    expect(lstatSync(join(here.root, '../outside/new'), { throwIfNoEntry: false })).toBeUndefined()
  })

  it('S6 a folder that becomes a link between two batches is noticed', () => {
    here.put('a/b', 'one')
    mkdirSync(join(here.root, '../outside'))
    renameSync(here.path('a'), join(here.root, '../moved'))
    symlinkSync('../outside', here.path('a'))
    expect(here.put('a/c', 'x')).toEqual(inTheWay)
    expect(here.put('a/b', 'x')).toEqual(inTheWay)
    expect(readFileSync(join(here.root, '../moved/b'), 'utf8')).toBe('one')
  })

  it('S1 writes links as they are, no matter where they point, and replaces the link, not its target', () => {
    writeFileSync(join(here.root, '../target'), 'kept')
    expect(here.put('link', '../target', '120000')).toEqual(done)
    expect(here.put('loop', 'loop', '120000')).toEqual(done)
    expect(here.put('far', '/nowhere/at/all', '120000')).toEqual(done)
    expect(here.tree()).toEqual({ link: '-> ../target', loop: '-> loop', far: '-> /nowhere/at/all' })
    expect(here.put('link', 'now a file')).toEqual(done)
    expect(here.put('loop', 'elsewhere', '120000')).toEqual(done)
    expect(here.put('far', null)).toEqual(done)
    expect(here.tree()).toEqual({ link: 'now a file', loop: '-> elsewhere' })
    expect(readFileSync(join(here.root, '../target'), 'utf8')).toBe('kept')
    expect(here.letTimePass()).toEqual([])
  })

  it('S1 changes the exec bit alone without touching the bytes, and other permissions never', () => {
    write('run', 'code')
    chmodSync(here.path('run'), 0o640)
    here.know('run')
    const { ino } = statSync(here.path('run'))
    const { content: _, ...modeOnly } = here.change('run', 'code', '100755')
    expect(here.applier.apply([modeOnly])).toEqual([done])
    expect(statSync(here.path('run'))).toMatchObject({ ino, mode: 0o100750 })
    expect(here.put('run', 'more', '100755')).toEqual(done)
    expect(statSync(here.path('run')).mode).toBe(0o100750)
    expect(here.put('run', 'most', '100644')).toEqual(done)
    expect(statSync(here.path('run')).mode).toBe(0o100640)
    expect(here.put('new', 'x', '100755')).toEqual(done)
    expect(statSync(here.path('new')).mode & 0o777).toBe(0o777 & ~process.umask())
  })

  it('S3 a file becomes a folder and a folder becomes a file within one batch', () => {
    here.applier.apply([
      here.change('file', 'x'),
      here.change('folder/deep/a', 'x'),
      here.change('folder/b', 'x'),
    ])
    const answers = here.applier.apply([
      here.change('folder', 'now a file'),
      here.change('file/below/it', 'y'),
      here.change('folder/deep/a', null),
      here.change('folder/b', null),
      here.change('file', null),
    ])
    expect(answers).toEqual([done, done, done, done, done])
    expect(here.tree()).toEqual({ folder: 'now a file', 'file/below/it': 'y' })
  })

  it('S6 a folder does not give way to a file while anything is left in it', () => {
    here.applier.apply([here.change('folder/a', 'x'), here.change('folder/b', 'x')])
    writeFileSync(here.path('folder/b'), 'edited')
    const both = [here.change('folder', 'y'), here.change('folder/a', null), here.change('folder/b', null)]
    expect(here.applier.apply(both)).toEqual([changed, done, changed])
    expect(here.tree()).toEqual({ 'folder/b': 'edited' })
  })

  it('S1 an empty folder gives way to a file', () => {
    mkdirSync(here.path('empty'))
    expect(here.put('empty', 'x')).toEqual(done)
    expect(here.tree()).toEqual({ empty: 'x' })
  })

  it('S1 a hard link elsewhere keeps its bytes', () => {
    write('a', 'one')
    linkSync(here.path('a'), join(here.root, '../other'))
    here.know('a')
    expect(here.put('a', 'two')).toEqual(done)
    rmSync(join(here.root, '../other'))
    expect(here.letTimePass()).toEqual([])
  })

  it('S10 takes every name that a file may have', () => {
    const names = ['with space', 'new\nline', '😀', 'é', `${'x'.repeat(255)}`, '"quoted"', '-rf', 'a\\b']
    const answers = here.applier.apply(names.map((name) => here.change(name, name)))
    expect(answers).toEqual(names.map(() => done))
    expect(here.tree()).toEqual(Object.fromEntries(names.map((name) => [name, name])))
  })

  it('S10 writes to the spelling that the disk has', () => {
    const composed = 'caf\u00e9'
    const decomposed = 'cafe\u0301'
    mkdirSync(here.path(decomposed))
    writeFileSync(here.path(`${decomposed}/a`), 'one')
    here.known.spell(composed, decomposed)
    const stats = lstatSync(here.path(`${decomposed}/a`))
    here.known.set(at(`${composed}/a`), { entry: fileOf('one'), stamp: stampOf(stats), size: 3 })
    expect(here.put(`${composed}/a`, 'two')).toEqual(done)
    expect(here.put(`${composed}/b`, 'new')).toEqual(done)
    expect(here.tree()).toEqual({ [`${decomposed}/a`]: 'two', [`${decomposed}/b`]: 'new' })
  })

  it('uses bytes that were staged before, and removes them, also on failure', () => {
    const stage = (text: string) => {
      const staged = here.applier.openStaged()
      for (const letter of text) here.applier.stageChunk(staged, Buffer.from(letter))
      here.applier.closeStaged(staged)
      const { content: _, ...change } = here.change('large', text, '100755')
      return { ...change, staged }
    }
    expect(here.applier.apply([stage('first')])).toEqual([done])
    expect(here.applier.apply([stage('second')])).toEqual([done])
    expect(here.tree()).toEqual({ large: 'second' })
    expect(statSync(here.path('large')).mode & 0o111).toBe(0o111 & ~process.umask())
    writeFileSync(here.path('large'), 'edited')
    expect(here.applier.apply([stage('third')])).toEqual([changed])
    here.letTimePass()
    expect(here.incoming()).toEqual([])
  })

  it('answers in the order asked, and pauses on its way through many', () => {
    const changes = Array.from({ length: 500 }, (_, n) => here.change(`d${n % 9}/${n}`, `${n}`))
    writeFileSync(here.path('d0'), 'in the way')
    const going = here.applier.applying(changes)
    let pauses = 0
    let step = going.next()
    for (; !step.done; step = going.next()) pauses++
    expect(pauses).toBeGreaterThan(5)
    expect(step.value).toEqual(changes.map((_, n) => (n % 9 === 0 ? inTheWay : done)))
  })

  it('goes on after its folder was removed', () => {
    here.put('a', 'one')
    rmSync(here.path('.farhand'), { recursive: true })
    expect(here.put('a', 'two')).toEqual(done)
    rmSync(here.path('.farhand'), { recursive: true })
    expect(here.put('a', null)).toEqual(done)
    expect(here.tree()).toEqual({})
  })

  it('S6 does not stage through a link, nor make a workspace that is gone', () => {
    mkdirSync(join(here.root, '../outside'))
    symlinkSync('../outside', here.path('.farhand'))
    expect(here.put('a', 'x')).toMatchObject({ is: 'failed', code: 'ENOTDIR' })
    rmSync(here.root, { recursive: true })
    expect(here.put('a', 'x')).toMatchObject({ is: 'failed', code: 'ESTALE' })
    expect(lstatSync(here.root, { throwIfNoEntry: false })).toBeUndefined()
  })

  it('S4 rescues what a program writes into the file it had open when that was replaced or deleted', () => {
    for (const next of ['ours', null]) {
      write('a', 'seen')
      linkSync(here.path('a'), join(here.root, '../handle'))
      here.know('a')
      expect(here.put('a', next)).toEqual(done)
      writeFileSync(join(here.root, '../handle'), `late ${next}`)
      rmSync(join(here.root, '../handle'))
      here.applier.settled()
      expect(here.applier.sweep(Date.now() + 100)).toBeGreaterThan(0)
      expect(here.letTimePass()).toEqual([`late ${next}`])
    }
  })

  it('S4 keeps rescued contents over any number of restarts, until they are released', () => {
    write('a', 'seen')
    linkSync(here.path('a'), join(here.root, '../handle'))
    here.know('a')
    here.put('a', 'ours')
    writeFileSync(join(here.root, '../handle'), 'late')
    expect(here.letTimePass()).toEqual(['late'])
    for (let lives = 0; lives < 2; lives++) {
      here.newApplier().leftBehind()
      expect(here.applier.rescued()).toMatchObject([{ path: 'a', entry: fileOf('late'), size: 4 }])
    }
    here.newApplier().leftBehind()
    here.applier.release(here.applier.rescued().map(({ id }) => id))
    here.newApplier().leftBehind()
    expect(here.applier.rescued()).toEqual([])
  })

  it('S4 a file that was only touched is not rescued', () => {
    write('a', 'seen')
    linkSync(here.path('a'), join(here.root, '../handle'))
    here.know('a')
    here.put('a', 'ours')
    utimesSync(join(here.root, '../handle'), 1, 1)
    expect(here.letTimePass()).toEqual([])
  })
})
