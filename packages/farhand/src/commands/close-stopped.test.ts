import { readdirSync } from 'node:fs'
import path from 'node:path'
import { readLog } from '@farhand/client/follow/read-log'
import { addressOf, findRun } from '@farhand/client/resources/resources'
import { processTable } from '@farhand/device/drill/process-table'
import { processesOf } from '@farhand/device/drill/victims'
import { KnownRuns } from '@farhand/device/known-runs/known-runs'
import { RunId } from '@farhand/protocol/wire/ids'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { sendSignal } from '../farhand-under-test.ts'
import { RunUnderTest } from './run/run-under-test.ts'

// Far more than a test may take: a wait for the runner until then would not end within the test.
const forEver = '3600000'

/** A run whose agent is at work, and the process that hosts it, which the system has stopped. */
async function stopped(where: readonly string[]) {
  const under = await RunUnderTest.begin('--close-grace-ms', forEver)
  const words = ['--agent', 'rehearsal', ...where, '--folder', under.folder, '--detach']
  const [said = ''] = await under.here('run', 'say begun\nthink for 3000 seconds', ...words)
  const run = RunId.parse(said)
  const methods = async () => {
    const all: string[] = []
    for await (const { notification } of readLog(under.hub, addressOf(await findRun(under.hub, run))))
      all.push(notification.method)
    return all
  }
  await vi.waitFor(async () => expect(await methods()).toContain('agent_thought_chunk'), 120_000)
  const pid = where.includes('--here') ? new KnownRuns(under.state).holder(run)! : runnerOf(under)
  process.kill(pid, 'SIGSTOP')
  onTestFinished(() => sendSignal(pid, 'SIGCONT'))
  return { under, run, pid, methods }
}

function runnerOf({ data }: RunUnderTest): number {
  const place = path.join(data, 'sandboxes')
  const [folder = ''] = readdirSync(place)
  return processesOf('runner', path.join(place, folder), processTable(process.platform))[0]!
}

const isThere = (pid: number) => processTable(process.platform).some((one) => one.pid === pid)

describe('to close a run whose runner the system has stopped', { timeout: 240_000 }, () => {
  it('lets one on this machine go on, which then ends its turn and itself', async () => {
    const { under, run, pid, methods } = await stopped(['--here'])
    await under.here('close', run)
    const all = await methods()
    expect(all.slice(all.indexOf('_posthog/close'))).toEqual(
      expect.arrayContaining(['_posthog/turn_complete', '_posthog/session_close']),
    )
    expect(all.at(-1)).toBe('_posthog/session_close')
    expect(new KnownRuns(under.state).holder(run)).toBeNull()
    await vi.waitFor(() => expect(isThere(pid)).toBe(false), 60_000)
  })

  it('does not wait for one in a sandbox until its time is used up, and removes the sandbox', async () => {
    const { under, run, pid, methods } = await stopped(['--sandbox', 'process'])
    await under.here('close', run)
    expect(await methods()).toContain('_posthog/session_close')
    await vi.waitFor(() => expect(isThere(pid)).toBe(false), 60_000)
    await vi.waitFor(
      () => expect(readdirSync(path.join(under.data, 'sandboxes'), { recursive: true })).toEqual([]),
      60_000,
    )
  })
})
