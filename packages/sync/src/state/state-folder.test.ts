import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DeviceId, newId, ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isWithin, type Link, StateFolder } from './state-folder.ts'

async function stateFolder(): Promise<StateFolder> {
  const root = await mkdtemp(path.join(tmpdir(), 'farhand-state-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  return new StateFolder(root)
}

const link = (folder: string): Link => ({
  folder,
  url: 'http://127.0.0.1:7717',
  token: 'fh_secret',
  at: { project: newId(ProjectId, 'prj'), task: newId(TaskId, 'tsk'), run: newId(RunId, 'run') },
  wins: 'disk',
  device: newId(DeviceId, 'dev'),
  generations: [],
})

describe('the state folder', () => {
  it('remembers a link until it is told to forget it', async () => {
    const state = await stateFolder()
    const [one, two] = [link('/b'), link('/a')]
    state.save(one)
    state.save(two)
    expect(state.find('/b')).toEqual(one)
    expect(state.links()).toEqual([two, one])
    state.forget('/b')
    expect(state.find('/b')).toBeNull()
    expect(state.links()).toEqual([two])
  })

  it('has no token in what it remembers of a folder, and no other user may read that', async () => {
    const state = await stateFolder()
    state.save(link('/a'))
    const file = path.join(state.placeOf('/a'), 'link.json')
    expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600')
    expect(await readFile(file, 'utf8')).not.toContain('fh_secret')
    expect(state.find('/a')?.token).toBe('fh_secret')
  })

  it('reads a link from before, which has its token inside, and takes it out when it is saved', async () => {
    const state = await stateFolder()
    const old = { ...link('/a'), token: 'fh_old' }
    const file = path.join(state.placeOf('/a'), 'link.json')
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, JSON.stringify(old))
    expect(state.find('/a')?.token).toBe('fh_old')
    expect(state.tokens.urls()).toEqual([])
    state.save(state.find('/a')!)
    expect(state.find('/a')).toEqual(old)
    expect(await readFile(file, 'utf8')).not.toContain('fh_old')
  })

  it('forgets the user’s token for a hub, and not the link', async () => {
    const state = await stateFolder()
    state.save(link('/a'))
    state.tokens.forget('http://127.0.0.1:7717')
    expect(state.find('/a')).toMatchObject({ folder: '/a', token: '' })
  })

  it('finds the innermost linked folder that a path lies in', async () => {
    const state = await stateFolder()
    const [outer, inner] = [link('/code'), link('/code/app')]
    state.save(outer)
    state.save(inner)
    expect(state.around('/code/app/src/main.ts')).toEqual(inner)
    expect(state.around('/code/application')).toEqual(outer)
    expect(state.around('/elsewhere')).toBeNull()
  })

  it('knows as whom a folder wrote into each of its runs, as long as it remembers the run', async () => {
    const state = await stateFolder()
    const [one, two] = [link('/a'), link('/a')]
    for (const linked of [one, two]) {
      expect(state.identity('/a', linked.at)).toBeNull()
      state.save(linked)
      expect(state.identity('/a', linked.at)).toBeNull()
      await writeFile(path.join(state.memoryOf('/a', linked.at), 'memory'), '')
    }
    for (const { at, device } of [one, two]) expect(state.identity('/a', at)).toMatchObject({ device })
    await rm(path.join(state.memoryOf('/a', one.at), 'memory'))
    expect(state.identity('/a', one.at)).toBeNull()
  })

  it('takes a file that makes no sense for no link', async () => {
    const state = await stateFolder()
    state.save(link('/a'))
    await writeFile(path.join(state.placeOf('/a'), 'link.json'), '{"folder":')
    expect(state.find('/a')).toBeNull()
    expect(state.links()).toEqual([])
  })
})

it('a folder is within itself and those above, and not within one that only begins alike', () => {
  expect(isWithin('/a', '/a')).toBe(true)
  expect(isWithin('/', '/a/b')).toBe(true)
  expect(isWithin('/a', '/a/..b')).toBe(true)
  expect(isWithin('/a', '/ab')).toBe(false)
  expect(isWithin('/a/b', '/a')).toBe(false)
})
