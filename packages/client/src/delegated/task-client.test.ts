import type { TaskFrame } from '@farhand/protocol/delegated/delegated-tasks'
import { DelegatedTaskId } from '@farhand/protocol/wire/ids'
import { hangUp, json, type Reply, refuse, stream } from '@farhand/testkit/scripted-hub'
import { describe, expect, it } from 'vitest'
import { hubThat } from '../requests/hub-under-test.ts'
import { TaskClient } from './task-client.ts'

const id = DelegatedTaskId.parse('acp_delegated0')
const backoff = { firstMs: 2, maxMs: 8 }
const task = {
  task_id: id,
  status: 'working',
  task: 'x',
  context: null,
  conversation_id: null,
  session_id: 'run_delegated0',
  run: { project: 'prj_delegated0', task: 'tsk_delegated0', run: 'run_delegated0' },
  device_id: null,
  agent: null,
  result_summary: null,
  created_at: '2026-11-15T10:00:00.000Z',
  completed_at: null,
}
const snapshot = (more: object = {}) => ({
  ...task,
  ...{ last_seq: 5, ended_seq: null, started_at: null, allowed: [], steps: [], input_needed: [], text: '' },
  progress: { phase: 'work', completed: 0, total: 0, current: null },
  ...more,
})
const frame = (type: string, seq: number, data: object, isLast = true) =>
  `${isLast ? `id: ${seq}\n` : ''}data: ${JSON.stringify({ type, seq, data })}\n\n`
const status = (seq: number, status: string, isLast = true) =>
  frame('acp_task_status', seq, { task_id: id, status }, isLast)
const done = (seq: number) => frame('acp_task_completed', seq, { task_id: id, result_summary: 'ok' })
const cut =
  (...frames: string[]): Reply =>
  async (response, request) => {
    await stream(frames)(response, request)
    response.end()
  }
const told = ({ type, seq }: TaskFrame) => `${seq} ${type}`

describe('following a delegated task', () => {
  it('W85 goes on after cuts with each frame once, and ends with the task', async () => {
    const hub = await hubThat(
      cut(status(1, 'submitted'), status(2, 'working')),
      json(200, snapshot()),
      hangUp,
      refuse(503, 'hub.stopping', 'retry'),
      // Cut between the two frames of one event: the next connection brings both again.
      cut(frame('acp_text_delta', 3, { delta: 'a' }), status(4, 'completed', false)),
      json(200, snapshot({ ended_seq: 4 })),
      cut(status(4, 'completed', false), done(4)),
    )
    const seen: string[] = []
    for await (const one of new TaskClient({ url: hub.url, token: 't' }).follow(id, { backoff }))
      seen.push(told(one))
    expect(seen).toEqual([
      '1 acp_task_status',
      '2 acp_task_status',
      '3 acp_text_delta',
      '4 acp_task_status',
      '4 acp_task_completed',
    ])
  })

  it('W85 ends at once for a reader that has the end of the task already', async () => {
    const hub = await hubThat(cut(), json(200, snapshot({ status: 'completed', ended_seq: 4 })))
    const seen: TaskFrame[] = []
    for await (const one of new TaskClient({ url: hub.url, token: 't' }).follow(id, { after: 4, backoff }))
      seen.push(one)
    expect(seen).toEqual([])
  })

  it('W84 leaves out frames that it does not know, and goes on after them', async () => {
    const hub = await hubThat(cut(frame('acp_of_tomorrow', 1, {}), status(2, 'failed')))
    const seen: string[] = []
    for await (const one of new TaskClient({ url: hub.url, token: 't' }).follow(id, { backoff }))
      seen.push(told(one))
    expect(seen).toEqual(['2 acp_task_status'])
  })
})

describe('changing the state of a delegated task', () => {
  it('W83 a change whose answer was lost counts as done, if the task is in that state', async () => {
    const hub = await hubThat(
      hangUp,
      refuse(409, 'task.refused', 'fix-request'),
      json(200, snapshot({ status: 'paused' })),
    )
    const client = new TaskClient({ url: hub.url, token: 't' }, { backoff })
    expect(await client.change(id, 'pause')).toMatchObject({ status: 'paused' })
  })

  it('W83 a refused change is refused', async () => {
    const hub = await hubThat(refuse(409, 'task.refused', 'fix-request'))
    const client = new TaskClient({ url: hub.url, token: 't' }, { backoff })
    await expect(client.change(id, 'pause')).rejects.toMatchObject({ code: 'task.refused' })
  })
})
