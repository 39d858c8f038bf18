import { hangUp, liveFrame, type Reply, refuse, someRun, stream } from '@farhand/testkit/scripted-hub'
import { describe, expect, it } from 'vitest'
import { hubThat } from '../requests/hub-under-test.ts'
import { subscribePush, unsubscribePush } from '../resources/push.ts'
import { archiveRun, muteRun, renameRun } from '../resources/run-preferences.ts'
import type { FollowState } from './follow.ts'
import { type FollowRunsOptions, followRuns } from './follow-runs.ts'

const run = {
  ...{ id: someRun.run, project: someRun.project, task: someRun.task, agent: null, mode: 'interactive' },
  ...{ sandbox: null, createdAt: '2026-11-15T10:00:00.000Z', projectName: 'Shop', now: null },
}
const runFrame = (title: string) => `event: run\ndata: ${JSON.stringify({ ...run, title })}\n\n`
const cut =
  (frames: string[]): Reply =>
  async (response, request) => {
    await stream(frames)(response, request)
    response.end()
  }

async function firstOf(count: number, url: string, options: FollowRunsOptions = {}) {
  const seen: string[] = []
  const backoff = { firstMs: 2, maxMs: 8 }
  for await (const change of followRuns({ url, token: 't' }, { backoff, ...options })) {
    seen.push(change.is === 'anew' ? 'anew' : change.run.title)
    if (seen.length === count) break
  }
  return seen
}

describe('following the list of runs', () => {
  it('W48 says after every break that the list has to be fetched again', async () => {
    const states: FollowState['is'][] = []
    const hub = await hubThat(
      cut([liveFrame(0), runFrame('one')]),
      hangUp,
      cut([liveFrame(0), runFrame('two')]),
    )
    const seen = await firstOf(4, hub.url, { onState: ({ is }) => states.push(is) })
    expect(seen).toEqual(['anew', 'one', 'anew', 'two'])
    expect(states).toContain('retrying')
    expect(hub.requests[0]).toMatchObject({
      path: '/api/runs/changes',
      headers: { accept: 'text/event-stream' },
    })
  })

  it('W27 ignores unknown messages of a newer hub', async () => {
    const hub = await hubThat(cut([liveFrame(0), 'event: weather\ndata: fine\n\n', runFrame('one')]))
    expect(await firstOf(2, hub.url)).toEqual(['anew', 'one'])
  })

  it('ends with a refusal that waiting would not change', async () => {
    const hub = await hubThat(refuse(401, 'token.invalid', 'sign-in'))
    await expect(firstOf(1, hub.url)).rejects.toMatchObject({ code: 'token.invalid' })
  })

  it('W48 W49 changes of a run are sent to the address of that run', async () => {
    const ok: Reply = (response) => void response.end('{"ok":true,"id":"abc"}')
    const hub = await hubThat(ok)
    const at = { url: hub.url, token: 't' }
    await renameRun(at, someRun.run, 'New')
    await archiveRun(at, someRun.run, true)
    await muteRun(at, someRun.run, true)
    const keys = { p256dh: 'a', auth: 'b' }
    expect(await subscribePush(at, { endpoint: 'https://push.example/1', keys })).toEqual({ id: 'abc' })
    await unsubscribePush(at, 'abc')
    expect(hub.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `PUT /api/runs/${someRun.run}/title`,
      `PUT /api/runs/${someRun.run}/archived`,
      `PUT /api/runs/${someRun.run}/muted`,
      'POST /api/push/subscriptions',
      'DELETE /api/push/subscriptions/abc',
    ])
  })
})
