import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, onTestFinished, vi } from 'vitest'
import { markStarted } from './left-running.mjs'

const stays = ['-e', "console.log('up'); setInterval(() => {}, 1000)"]

it.runIf(process.platform === 'linux')(
  'names and ends what still runs when the tests are over, and nothing that ran before',
  async () => {
    vi.stubEnv('FARHAND_TEST_RUN', 'of somebody else')
    onTestFinished(() => void vi.unstubAllEnvs())
    const before = spawn(process.execPath, stays, { stdio: ['ignore', 'pipe', 'ignore'] })
    onTestFinished(() => void before.kill('SIGKILL'))
    await once(before.stdout, 'data')
    const leftRunning = markStarted()
    expect(await leftRunning(0)).toEqual([])
    const after = spawn(process.execPath, stays, { stdio: ['ignore', 'pipe', 'ignore'], detached: true })
    onTestFinished(() => void after.kill('SIGKILL'))
    await once(after.stdout, 'data')
    const gone = once(after, 'exit')
    expect(await leftRunning(0)).toEqual([expect.stringContaining("console.log('up')")])
    await gone
    expect([before.exitCode, before.signalCode]).toEqual([null, null])
  },
)
