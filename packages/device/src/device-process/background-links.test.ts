import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DeviceId, newId, ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import { lockState } from '@farhand/sync/state/lock-state'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { expect, it, onTestFinished } from 'vitest'
import { BackgroundLinks } from './background-links.ts'

async function linkedFolder() {
  const root = await mkdtemp(path.join(tmpdir(), 'farhand-kept-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const state = new StateFolder(root)
  const at = { project: newId(ProjectId, 'prj'), task: newId(TaskId, 'tsk'), run: newId(RunId, 'run') }
  const link = { url: 'http://a', token: 't', at, wins: 'disk' as const, device: newId(DeviceId, 'dev') }
  state.save({ folder: '/a', ...link, generations: [] })
  return new BackgroundLinks(state)
}

it('a folder is kept as the user wants it, for every process that reads the state, until it is dropped', async () => {
  const folders = await linkedFolder()
  expect(folders.all()).toEqual([])
  folders.set('/a', { is: 'live', since: 1, words: ['--mine', '--gone', 'delete'] })
  folders.dropFirstSyncFlags('/a')
  const kept = { is: 'live', since: 1, words: ['--gone', 'delete'] }
  expect(new BackgroundLinks(folders.state).all()).toEqual([{ folder: '/a', url: 'http://a', kept }])
  folders.drop('/a')
  expect(folders.all()).toEqual([])
})

it('one that fails keeps what is said about it, but not if it is not wanted by then', async () => {
  const folders = await linkedFolder()
  folders.set('/a', { is: 'live', since: 1, words: [] })
  folders.fail('/a', Object.assign(new Error('why'), { nextStep: 'what to do' }), 2)
  expect(folders.find('/a')).toEqual({
    is: 'failed',
    since: 2,
    words: [],
    message: 'why',
    nextStep: 'what to do',
  })
  folders.set('/a', { is: 'paused', since: 3, words: [] })
  folders.fail('/a', { message: 'why', nextStep: '' }, 4)
  expect(folders.find('/a')?.is).toBe('paused')
})

it('only the process that has a folder is believed about it', async () => {
  const folders = await linkedFolder()
  const now = {
    version: '1.0.0',
    url: 'http://a',
    isKept: true,
    since: 1,
    doing: { is: 'starting' as const },
  }
  folders.writeStatus('/a', { ...now, pid: process.pid })
  expect(folders.status('/a')).toBeNull()
  const lock = lockState(folders.state.placeOf('/a'))
  expect(folders.status('/a')).toMatchObject(now)
  folders.writeStatus('/a', { ...now, pid: process.pid + 1 })
  expect(folders.status('/a')).toBeNull()
  if ('release' in lock) lock.release()
})
