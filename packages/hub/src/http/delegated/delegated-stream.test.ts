import { describe, expect, it } from 'vitest'
import { chunk, notification } from '../hub-under-test.ts'
import { ack, ends, streamOf, taskUnderTest, wholeStream } from './delegated-under-test.ts'

describe('the stream of a delegated task', () => {
  async function finished() {
    const under = await taskUnderTest()
    const entries = [{ content: 'Look', status: 'in_progress' }]
    await under.say(
      ack(),
      chunk('Let me '),
      chunk('look.'),
      notification('tool_call', { toolCallId: 'c', title: 'exa_search', kind: 'search', status: 'pending' }),
      notification('session/update', { update: { sessionUpdate: 'plan', entries } }),
      notification('tool_result', { toolCallId: 'c', status: 'completed' }),
      chunk('Found it.'),
      ends(),
    )
    return under
  }

  it('W85 gives every frame with its number, ends with the task, and goes on after any event', async () => {
    const { hub, task } = await finished()
    const whole = await wholeStream(hub, task)
    expect(whole.map(({ frame }) => frame.type)).toEqual([
      'acp_task_status',
      'acp_task_status',
      'acp_text_delta',
      'acp_text_delta',
      'acp_tool_start',
      'acp_progress',
      'acp_tool_end',
      'acp_text_delta',
      'acp_task_status',
      'acp_task_completed',
    ])
    expect(whole.at(-1)!.frame.data).toMatchObject({ result_summary: 'Found it.' })
    const last = whole.at(-1)!.frame.seq
    for (let seq = 0; seq <= last; seq++) {
      const rest = whole.filter(({ frame }) => frame.seq > seq)
      expect(await wholeStream(hub, task, `?last_seq=${seq}`), `after ${seq}`).toEqual(rest)
    }
    expect(await wholeStream(hub, task, '?last_seq=1', { 'Last-Event-ID': String(last - 1) })).toEqual(
      whole.slice(-2),
    )
  })

  it('W85 only the last frame of an event has its id, so that a cut loses none', async () => {
    const { hub, task } = await finished()
    const whole = await wholeStream(hub, task)
    expect(whole.slice(-2).map(({ id }) => id)).toEqual([undefined, whole.at(-1)!.frame.seq])
  })

  it('W85 goes on live, and is told of a cancel from elsewhere', async () => {
    const { hub, task, say, state } = await taskUnderTest()
    const stream = await streamOf(hub, task)
    const next = async () => JSON.parse((await stream.until(({ data }) => data !== undefined)).at(-1)!.data!)
    expect(await next()).toMatchObject({ data: { status: 'submitted' } })
    await say(ack())
    expect(await next()).toMatchObject({ data: { status: 'working' } })
    await state('cancel')
    expect(await next()).toMatchObject({ data: { status: 'canceled' } })
    expect(await stream.next()).toBe(null)
  })

  it.each([
    ['-1', 400],
    ['NaN', 400],
    ['1e3', 400],
    ['99999999999999999999', 400],
    ['99', 409],
  ])('W85 refuses last_seq=%s', async (seq, status) => {
    const { hub, task } = await taskUnderTest()
    expect((await streamOf(hub, task, `?last_seq=${seq}`)).answer.status).toBe(status)
  })

  it('W85 a user has at most 20 of them open, and one more once one has ended', async () => {
    const { hub, task, state } = await taskUnderTest()
    const open = await Promise.all(Array.from({ length: 20 }, () => streamOf(hub, task)))
    expect(open.map(({ answer }) => answer.status)).toEqual(Array(20).fill(200))
    expect((await streamOf(hub, task)).answer.status).toBe(503)
    await state('cancel')
    for (const stream of open) while ((await stream.next()) !== null);
    expect((await streamOf(hub, task)).answer.status).toBe(200)
  })

  it('W85 is refused to a reader that takes no stream', async () => {
    const { hub, task } = await taskUnderTest()
    const { answer } = await streamOf(hub, task, '', { Accept: 'application/json' })
    expect(answer.status).toBe(406)
  })

  it('W86 gives a snapshot in place of more than 1,000 events, then what follows; for 1,000 it gives each', async () => {
    const { hub, task, say } = await taskUnderTest()
    await say(ack())
    const words = Array.from({ length: 999 }, (_, n) => chunk(`${n} `))
    await say(...words)
    const end = 4 + words.length
    const near = await streamOf(hub, task, `?last_seq=${end - 1000}`)
    expect(JSON.parse((await near.next())!.data!)).toMatchObject({ type: 'acp_task_status', seq: 4 })
    near.leave()
    const far = await streamOf(hub, task, `?last_seq=${end - 1001}`)
    const { id, data } = (await far.next())!
    expect(id).toBe(end)
    expect(JSON.parse(data!)).toMatchObject({
      type: 'acp_gap',
      seq: end,
      data: { after: end - 1001, snapshot: { task_id: task.task_id, status: 'working', last_seq: end } },
    })
    await say(chunk('new'))
    expect(JSON.parse((await far.next())!.data!)).toEqual({
      type: 'acp_text_delta',
      seq: end + 1,
      data: { delta: 'new' },
    })
  })

  it('W86 tells the end of the task after the snapshot, if that was among what was left out', async () => {
    const { hub, task, say } = await taskUnderTest()
    await say(ack())
    await say(...Array.from({ length: 999 }, () => chunk('x')))
    await say(chunk('y'), chunk('z'), ends())
    const read = await wholeStream(hub, task)
    expect(read.map(({ frame }) => frame.type)).toEqual(['acp_gap', 'acp_task_status', 'acp_task_completed'])
    expect(new Set(read.map(({ frame }) => frame.seq)).size).toBe(1)
    expect(read.map(({ id }) => id)).toEqual([undefined, undefined, read[0]!.frame.seq])
  })
})
