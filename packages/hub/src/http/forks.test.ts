import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { SyncStatus } from '@farhand/protocol/runs/sync-status'
import type { Run } from '@farhand/protocol/schemas/api'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import { describe, expect, it } from 'vitest'
import { chunk, HubUnderTest, message, notification } from './hub-under-test.ts'

const runsOf = ({ project, task }: RunAddress) => paths.runs(project, task)

async function linesOf(hub: HubUnderTest, at: RunAddress): Promise<string[]> {
  const { body } = await hub.ask('GET', paths.log(at))
  return (body as unknown as string).split('\n').slice(0, -1)
}

/** A run in the middle of a turn, with a question open and a message that waits: 8 events. */
async function busyRun(hub: HubUnderTest): Promise<RunAddress> {
  const at = await hub.run({ agent: 'mine', mode: 'background', terms: { idleMinutes: 5 } })
  const { token } = await hub.runner(at)
  const say = (body: unknown, stamp: number) =>
    hub.post(at, body, {
      token,
      headers: { 'Producer-Id': 'r', 'Producer-Epoch': '1', 'Producer-Seq': `${stamp}` },
    })
  await hub.post(at, message('do it'), { headers: { 'Idempotency-Key': 'first' } })
  await say(notification('_posthog/ack', { for: 'user_message', id: 3 }), 0)
  await say(chunk('I do'), 1)
  await say(notification('_posthog/agent_question', { questionId: 'qst_forkfork', question: 'ok?' }), 2)
  await hub.post(at, message('and then'))
  await hub.post(at, notification('_posthog/pause'))
  return at
}

describe('forking a run', () => {
  it('W39 makes an idle run whose log begins with the same lines as the other', async () => {
    const hub = await HubUnderTest.start()
    const at = await busyRun(hub)
    const before = await linesOf(hub, at)
    const asked = { body: { fork: { run: at.run, event: 7 }, agent: 'yours' } }
    const answer = await hub.ask('POST', runsOf(at), asked)
    const run = answer.body as unknown as Run
    expect(answer.status).toBe(201)
    expect(run).toMatchObject({
      agent: 'yours',
      mode: 'background',
      sandbox: 'none',
      terms: { idleMinutes: 5 },
      forkOf: { run: at.run, event: 7 },
    })
    const fork = { ...at, run: run.id }
    // Asked for by itself, it comes as in the list.
    expect((await hub.ask('GET', paths.anyRun(run.id))).body).toMatchObject(run)

    const lines = await linesOf(hub, fork)
    expect(lines.slice(0, 7)).toEqual(before.slice(0, 7))
    expect(JSON.parse(lines[7]!)).toMatchObject({
      id: 8,
      notification: { method: '_posthog/forked', params: { run: at.run, event: 7 } },
      by: { kind: 'hub' },
    })
    expect(lines.length).toBe(8)
    const status = (await hub.ask('GET', paths.status(fork))).body as unknown as SyncStatus
    expect(status).toMatchObject({ status: 'queued', agentStatus: 'idle', pendingQuestions: [] })

    // Keys, tokens and generations: what was the other's means nothing here, and the count goes on.
    const again = await hub.post(fork, message('do it'), { headers: { 'Idempotency-Key': 'first' } })
    expect(again.body.ids).toEqual([9])
    const [theirs, ours] = [await hub.runner(at), await hub.runner(fork)]
    expect([theirs.generation, ours.generation]).toEqual([2, 2])
    expect(ours.previousSeq).toBeNull()
    expect((await hub.post(fork, chunk('hm'), { token: theirs.token })).status).toBe(404)
    expect((await hub.post(fork, chunk('hm'), { token: ours.token })).status).toBe(202)
    expect((await linesOf(hub, at)).length, 'the other one has its new runner').toBe(9)
  })

  it('W39 W9 is done once for one key, also while it is being done, with all that was asked for', async () => {
    const hub = await HubUnderTest.start()
    const at = await busyRun(hub)
    await hub.ask('DELETE', paths.sync(at))
    const { lastEventId } = (await hub.ask('GET', paths.status(at))).body as unknown as SyncStatus
    const body = { fork: { run: at.run, event: lastEventId }, mode: 'interactive', prompt: 'otherwise' }
    const ask = (body: unknown) =>
      hub.ask('POST', runsOf(at), { body, headers: { 'Idempotency-Key': 'fork' } })
    const both = await Promise.all([ask(body), ask(body)])
    const ids = [...both, await ask(body)].map((answer) => (answer.body as unknown as Run).id)
    expect(new Set(ids).size).toBe(1)
    expect((await ask({ ...body, prompt: 'no' })).body).toMatchObject({ error: { code: 'key.reused' } })
    const fork = { ...at, run: ids[0] as Run['id'] }
    const said = (await linesOf(hub, fork)).slice(lastEventId).map((line) => JSON.parse(line).notification)
    expect(said.map(({ method }) => method)).toEqual([
      '_posthog/forked',
      '_posthog/mode_change',
      '_posthog/user_message',
    ])
    const logs = (await readdir(join(hub.data, 'logs'))).filter((name) => name.endsWith('.jsonl'))
    expect(logs.sort()).toEqual([`${at.run}.jsonl`, `${fork.run}.jsonl`].sort())
    const { items } = (await hub.ask('GET', paths.allRuns())).body as unknown as { items: unknown[] }
    expect(items).toMatchObject([
      { id: fork.run, now: { status: 'queued', mode: 'interactive' } },
      { id: at.run },
    ])
  })

  it('W39 from a run or event that does not exist, or is of another project, is refused', async () => {
    const hub = await HubUnderTest.start()
    const [at, elsewhere] = [await busyRun(hub), await hub.run()]
    const ask = async (fork: unknown) => {
      const { status, body } = await hub.ask('POST', runsOf(at), { body: { fork } })
      return { status, ...(body as unknown as { error: { code: string; field?: string } }).error }
    }
    const malformed = { status: 400, code: 'request.malformed', field: 'fork.event' }
    expect(await ask({ run: at.run, event: 0 })).toMatchObject(malformed)
    expect(await ask({ run: at.run, event: 9 })).toMatchObject({ ...malformed, current: 8 })
    expect(await ask({ run: 'run_nobodyknows', event: 1 })).toMatchObject({
      status: 404,
      code: 'run.unknown',
    })
    expect(await ask({ run: elsewhere.run, event: 1 })).toMatchObject({ status: 404, code: 'run.unknown' })
    const { items } = (await hub.ask('GET', runsOf(at))).body as unknown as { items: unknown[] }
    expect(items.length).toBe(1)
  })
})
