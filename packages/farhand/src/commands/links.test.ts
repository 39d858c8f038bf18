import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { lockFolder } from '@farhand/device/linked-folders/lock-folder'
import { DeviceId, newId, ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { expect, it, onTestFinished } from 'vitest'
import { runHere } from '../context/command-context-under-test.ts'
import { temporaryFolder } from '../farhand-under-test.ts'

async function linked(wins: 'disk' | 'log') {
  const state = new StateFolder(await temporaryFolder())
  const folder = await temporaryFolder()
  const at = {
    project: newId(ProjectId, 'prj'),
    task: newId(TaskId, 'tsk'),
    run: newId(RunId, 'run'),
  }
  const device = newId(DeviceId, 'dev')
  state.save({ folder, url: 'http://127.0.0.1:1', token: 't', at, wins, device, generations: [] })
  return { state, folder, device }
}

it('unlink of a folder that is being kept in sync says to stop that first, and forgets nothing', async () => {
  const { state, folder } = await linked('disk')
  const lock = lockFolder(state, folder, 'Pause it.')
  onTestFinished(() => lock.release())
  await expect(runHere(['unlink', folder, '--state', state.root])).rejects.toMatchObject({
    exit: 'folderTaken',
    message: `${folder} is being kept in sync, by process ${process.pid}.`,
    nextStep: expect.stringContaining('Stop that one first, with Ctrl-C where it runs'),
  })
  expect(state.find(folder)).not.toBeNull()
})

it('unlink without a name is for the linked folder that the user stands in', async () => {
  const { state, folder } = await linked('disk')
  const inside = path.join(folder, 'src')
  mkdirSync(inside)
  const { out } = await runHere(['unlink', '--state', state.root], { cwd: inside })
  expect(out).toContain(`${folder} is no longer linked`)
  expect(state.find(folder)).toBeNull()
})

it('unlink of a folder in a linked one names that one, and forgets nothing', async () => {
  const { state, folder } = await linked('disk')
  const inside = path.join(folder, 'src')
  mkdirSync(inside)
  await expect(runHere(['unlink', inside, '--state', state.root])).rejects.toMatchObject({ exit: 'usage' })
  expect(state.find(folder)).not.toBeNull()
})

it.each(['disk', 'log'] as const)('links tells programs as whom a folder writes: wins %s', async (wins) => {
  const { state, folder, device } = await linked(wins)
  const { out } = await runHere(['links', '--json', '--state', state.root])
  expect(JSON.parse(out)).toMatchObject({ folder, wins, device: wins === 'disk' ? device : null, pid: null })
})
