import { KnownRuns } from '@farhand/device/known-runs/known-runs'
import type { ProjectId, RunId, TaskId } from '@farhand/protocol/wire/ids'
import { expect, it } from 'vitest'
import { testContext } from '../../context/command-context-under-test.ts'
import { temporaryFolder } from '../../farhand-under-test.ts'
import { startRunner } from './start-runner.ts'

const at = { project: 'prj_1' as ProjectId, task: 'tsk_1' as TaskId, run: 'run_1' as RunId }

/** What is told of a runner that does this. */
async function endOf(script: string) {
  const [workspace, stateFolderPath] = await Promise.all([temporaryFolder(), temporaryFolder()])
  const known = { url: 'http://127.0.0.1:9', token: 't', at, agent: 'rehearsal', workspace }
  const context = testContext({ self: [process.execPath, '-e', script, '--'], env: process.env })
  return await startRunner(known, { runs: new KnownRuns(stateFolderPath), stateFolderPath }, context).ended
}

it('a runner that was killed is said to have been, not what it said before, and how the run goes on', async () => {
  const end = await endOf('console.log("works on it"); process.kill(process.pid, "SIGKILL")')
  expect(end).toMatchObject({
    message: 'The runner was killed (SIGKILL).',
    nextStep: expect.stringMatching(
      /^`npx farhand run --run run_1` goes on with the run\. .*runner\.log holds its output/,
    ),
  })
})

it('a runner that fails is quoted, and one that says nothing is told by its code', async () => {
  expect((await endOf('console.log("no hub"); process.exitCode = 1'))?.message).toMatch(/ended: no hub$/)
  expect((await endOf('process.exitCode = 9'))?.message).toMatch('ended: with exit code 9')
  expect(await endOf('')).toBeNull()
})
