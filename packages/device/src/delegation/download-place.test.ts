import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { newId, ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import { temporaryFolder } from '@farhand/testkit/temporary-folder'
import { expect, it } from 'vitest'
import { PullMemory } from '../pull/pull-memory.ts'
import { downloadPlace } from './download-place.ts'

const at = { project: newId(ProjectId, 'prj'), task: newId(TaskId, 'tsk'), run: newId(RunId, 'run') }

async function places() {
  const [root, state] = [realpathSync(await temporaryFolder()), await temporaryFolder()]
  const place = (into: string, roots = [root]) => downloadPlace({ into, roots, run: at.run, state })
  return { root, state, place }
}

it('a new or empty folder in a root is taken', async () => {
  const { root, place } = await places()
  mkdirSync(path.join(root, 'empty'))
  expect(place('cloud-agent/one')).toBe(path.join(root, 'cloud-agent/one'))
  expect(place('empty')).toBe(path.join(root, 'empty'))
  expect(place(path.join(root, 'absolute'))).toBe(path.join(root, 'absolute'))
})

it('no folder outside of the roots is taken: not by dots, not by an absolute path, not through a symlink', async () => {
  const { root, place } = await places()
  const outside = realpathSync(await temporaryFolder())
  symlinkSync(outside, path.join(root, 'way'))
  for (const into of ['..', '../sister', outside, 'way', 'way/below', 'a/../../b', '/'])
    expect(() => place(into), into).toThrow('in none of the folders')
  expect(() => place('x', [])).toThrow('no folder')
  expect(() => place('x', [path.join(root, 'missing')])).toThrow('in none of the folders')
})

it('the root itself and a folder with other files are refused: what comes could be taken for settings', async () => {
  const { root, state, place } = await places()
  mkdirSync(path.join(root, 'src'))
  writeFileSync(path.join(root, 'src/a.ts'), '')
  expect(() => place('.')).toThrow('in none of the folders')
  expect(() => place('src')).toThrow('has other files')
  const memory = new PullMemory(state, path.join(root, 'src'))
  memory.save({ url: 'http://hub', at, files: [] })
  expect(place('src')).toBe(path.join(root, 'src'))
})
