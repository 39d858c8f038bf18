import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readLog } from '@farhand/client/follow/read-log'
import { initRun } from '@farhand/client/resources/resources'
import { describe, expect, it } from 'vitest'
import { RunUnderTest } from '../runner-under-test.ts'

describe('a runner in a sandbox', () => {
  it('W22 makes its last checkpoint before the run is closed, and the next begins in an empty place from it', async () => {
    const run = await RunUnderTest.begin()
    const checkpoints = { clone: null }
    await run.start(undefined, undefined, { checkpoints })
    await run.turn('write a.txt with one\nwrite b.txt with two')
    await run.say('_posthog/close')
    expect(await run.end).toBe('closed')
    const methods: string[] = []
    for await (const { notification } of readLog(run.user, run.at)) methods.push(notification.method)
    expect(methods.indexOf('_posthog/session_checkpoint')).toBeGreaterThan(-1)
    expect(methods.indexOf('_posthog/session_close')).toBeGreaterThan(
      methods.lastIndexOf('_posthog/session_checkpoint'),
    )

    for (const folder of [run.workspace, run.state]) {
      rmSync(folder, { recursive: true })
      mkdirSync(folder)
    }
    await initRun(run.user, run.at)
    await run.start(undefined, undefined, { checkpoints })
    await run.until(({ notification }) => notification.method === '_posthog/session_restored')
    await run.turn('write c.txt with three')
    const read = (name: string) => readFileSync(join(run.workspace, name), 'utf8')
    expect(['a.txt', 'b.txt', 'c.txt'].map(read)).toEqual(['one', 'two', 'three'])
  })
})
