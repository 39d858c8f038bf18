import { renameSync, rmSync, unlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { hubDataNames } from '../rules/hub-data.ts'
import { makeFolder, Watched } from './folder-watcher-under-test.ts'

type Folder = ReturnType<typeof makeFolder>
const [first, second] = hubDataNames

function makeHubData(folder: Folder, at: string) {
  for (const name of [first, second, 'secret', 'logs/run/1.log', 'files/ab/cd']) folder.write(`${at}/${name}`)
}

/** Everything that was ever said of what lies below. */
const saidBelow = (watched: Watched, at: string) => watched.paths.filter((path) => path.startsWith(`${at}/`))

describe('the data folder of a hub, in a folder that is watched', () => {
  it('S9 is not scanned at any depth, and is reported as left out once', async () => {
    const folder = makeFolder()
    folder.write('a')
    makeHubData(folder, 'data')
    makeHubData(folder, 'deep/er/hub')
    const watched = new Watched(folder)
    await watched.scanned()
    folder.write('data/logs/run/2.log')
    folder.write('data/more')
    folder.write('b')
    await watched.until(() => watched.told.has('b'))
    expect([...watched.told.keys()].sort()).toEqual(['a', 'b'])
    expect(watched.reports.flatMap(({ skipped }) => skipped)).toEqual([
      { path: 'data', why: 'hub-data' },
      { path: 'deep/er/hub', why: 'hub-data' },
    ])
    expect(await watched.eyes.look(['data/secret', 'data/nothing'] as never)).toEqual([
      { path: 'data/secret', why: 'hub-data' },
      { path: 'data/nothing', why: 'hub-data' },
    ])
    expect(watched.eyes.skipReason('data/logs/new')).toBe('hub-data')
    expect(watched.eyes.skipReason('datax/new')).toBeNull()
  })

  it('S9 is not reported again by every scan', async () => {
    const folder = makeFolder()
    makeHubData(folder, 'data')
    const watched = new Watched(folder)
    await watched.scanned()
    for (const name of ['data', 'b']) watched.eyes.recheck(name)
    folder.write('b')
    await watched.until(() => watched.told.has('b'))
    expect(watched.reports.flatMap(({ skipped }) => skipped)).toEqual([{ path: 'data', why: 'hub-data' }])
    expect(watched.paths).toEqual(['b'])
  })

  it('S13 is left out when a hub begins there later: its known files are reported as left out, not as deleted', async () => {
    const folder = makeFolder()
    folder.write('data/notes.txt')
    folder.write('data/sub/more.txt')
    const watched = new Watched(folder)
    await watched.scanned()
    makeHubData(folder, 'data')
    await watched.until(() => watched.skips.get('data') === 'hub-data')
    expect(watched.skips.get('data/notes.txt')).toBe('hub-data')
    expect(watched.skips.get('data/sub/more.txt')).toBe('hub-data')
    unlinkSync(folder.at('data/notes.txt'))
    folder.write('data/files/new')
    folder.write('b')
    watched.eyes.recheck('data/notes.txt', true)
    await watched.until(() => watched.told.has('b'))
    expect(watched.told.size).toBe(1)
    const gone = watched.reports.flatMap(({ seen }) => seen.filter(({ entry }) => entry === null))
    expect(gone.map(({ path }) => path)).toEqual([])
    expect(saidBelow(watched, 'data')).not.toContain('data/files/new')
  })

  it('S13 is like any other folder once the hub’s files have gone', async () => {
    const folder = makeFolder()
    makeHubData(folder, 'data')
    const watched = new Watched(folder)
    await watched.scanned()
    unlinkSync(folder.at(`data/${first}`))
    watched.eyes.recheck('data')
    await watched.inStep()
    expect(watched.told.has('data/secret')).toBe(true)
    expect(watched.eyes.skipReason('data/x')).toBeNull()
  })

  it('S9 is left out under its new name too when it is moved, and its old name is free', async () => {
    const folder = makeFolder()
    makeHubData(folder, 'data')
    const watched = new Watched(folder)
    await watched.scanned()
    renameSync(folder.at('data'), folder.at('moved'))
    await watched.until(() => watched.skips.get('moved') === 'hub-data')
    folder.write('data/a')
    await watched.until(() => watched.told.has('data/a'))
    rmSync(folder.at('moved'), { recursive: true })
    folder.write('moved/b')
    await watched.until(() => watched.told.has('moved/b'))
    expect([...watched.told.keys()].sort()).toEqual(['data/a', 'moved/b'])
  })

  it('S13 is not synced also when it is the watched folder itself, until the hub’s files have gone', async () => {
    const folder = makeFolder()
    folder.write('a')
    folder.write('sub/b')
    const watched = new Watched(folder)
    await watched.scanned()
    makeHubData(folder, '.')
    await watched.until(() => watched.skips.get('.') === 'hub-data')
    expect(watched.skips.get('sub/b')).toBe('hub-data')
    unlinkSync(folder.at(second))
    await watched.inStep()
    expect(watched.told.has('sub/b')).toBe(true)
  })

  it('S9 is not a folder with only one of its files, or with folders of their names', async () => {
    const folder = makeFolder()
    folder.write(`one/${first}`)
    folder.write(`two/${first}/x`)
    folder.write(`two/${second}`)
    const watched = new Watched(folder)
    await watched.inStep()
    expect(watched.told.size).toBe(3)
  })
})
