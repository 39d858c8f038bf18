import { addressOf, createProject, createRun, createTask } from '@farhand/client/resources/resources'
import { expect, it, onTestFinished } from 'vitest'
import { testContext } from '../../context/command-context-under-test.ts'
import { temporaryFolder } from '../../farhand-under-test.ts'
import { hubHere } from '../local-hub/hub-here-under-test.ts'
import { chooseRun } from './choose-run.ts'

it('the only open run is meant in any folder, but its files are changed from another one only once it was chosen', async () => {
  const { hub, stop } = await hubHere()
  onTestFinished(stop)
  const project = await createProject(hub, { name: 'p' })
  const task = await createTask(hub, project.id, { title: 'Mend the roof' })
  const { run } = addressOf(await createRun(hub, project.id, task.id, { sandbox: 'none' }))
  const flags = { hub: hub.url, token: hub.token, state: await temporaryFolder() }
  const elsewhere = await temporaryFolder()
  const answering = (answer: string) =>
    testContext({ cwd: elsewhere, terminal: true, ask: async () => answer })

  expect(await chooseRun(flags, answering(''))).toBe(run)
  const context = answering('1')
  expect(await chooseRun(flags, context, { changes: true })).toBe(run)
  expect(context.ran().notes).toContain('Mend the roof')
  // Enter alone chooses nothing.
  await expect(chooseRun(flags, answering(''), { changes: true })).rejects.toThrow('No run was chosen.')
})
