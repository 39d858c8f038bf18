import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DeviceId, newId, ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { expect, it, onTestFinished } from 'vitest'
import { BackgroundLinks } from '../device-process/background-links.ts'
import { restoreLink } from './restore-link.ts'

const newAddress = () => ({
  project: newId(ProjectId, 'prj'),
  task: newId(TaskId, 'tsk'),
  run: newId(RunId, 'run'),
})

/** A folder that is linked to a run which did not begin. */
async function linkedFolder() {
  const place = await realpath(await mkdtemp(path.join(tmpdir(), 'farhand-restore-')))
  onTestFinished(() => rm(place, { recursive: true }))
  const state = new StateFolder(path.join(place, 'state'))
  const at = newAddress()
  const about = {
    folder: place,
    url: 'http://127.0.0.1:9',
    token: 't',
    wins: 'disk' as const,
    generations: [],
  }
  const link = { ...about, at, device: newId(DeviceId, 'dev') }
  state.save(link)
  const kept = new BackgroundLinks(state)
  kept.set(place, { is: 'live', since: 1, words: [] })
  return { place, state, at, link, kept }
}

it('a folder of a run that did not begin is not linked any more, and nothing keeps it in sync', async () => {
  const { place, state, at, kept } = await linkedFolder()
  await restoreLink(place, { state, at, before: null })
  expect([state.links(), kept.find(place)]).toEqual([[], null])
})

it('it is linked again as it was before, and a link that another run has made meanwhile stays', async () => {
  const { place, state, at, link } = await linkedFolder()
  const before = { ...link, at: newAddress() }
  await restoreLink(place, { state, at, before })
  expect(state.find(place)?.at).toEqual(before.at)
  await restoreLink(place, { state, at, before: null })
  expect(state.find(place)?.at).toEqual(before.at)
})
