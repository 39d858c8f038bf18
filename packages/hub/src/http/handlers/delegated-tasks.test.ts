import { join } from 'node:path'
import type { DelegatedTask, TaskFrame, TaskSnapshot } from '@farhand/protocol/schemas/delegated-tasks'
import { paths } from '@farhand/protocol/wire/routes'
import { describe, expect, it, onTestFinished } from 'vitest'
import { addUser } from '../../access/users.ts'
import { openSqliteStore } from '../../store/sqlite-store.ts'
import { chunk, HubUnderTest, notification, ReadStream } from '../hub-under-test.ts'

type Hub = HubUnderTest

const delegate = async (hub: Hub, more: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  hub.ask('POST', paths.delegatedTasks(), {
    body: { task: 'Write a report', sandbox: 'none', ...more },
    headers,
  })

const made = (answer: { body: unknown }) => answer.body as DelegatedTask

/** A hub with a task, and a runner that says what an agent would. */
async function taskUnderTest(more: Record<string, unknown> = {}) {
  const hub = await HubUnderTest.start()
  const task = made(await delegate(hub, more))
  const { token } = await hub.runner(task.run)
  const say = async (...said: unknown[]) => {
    const answer = await hub.post(task.run, said, { token })
    expect(answer.status).toBe(202)
  }
  const snapshot = async () =>
    (await hub.ask('GET', paths.delegatedTask(task.task_id))).body as unknown as TaskSnapshot
  const state = (action: string) => hub.ask('PATCH', paths.delegatedState(task.task_id), { body: { action } })
  const input = (body: unknown, headers: Record<string, string> = {}) =>
    hub.ask('POST', paths.delegatedInput(task.task_id), { body, headers })
  return { hub, task, say, snapshot, state, input }
}

const prompt = 2
const ack = (id = prompt) => notification('_posthog/ack', { for: '_posthog/user_message', id })
const ends = (messageId = prompt, stopReason = 'end_turn') =>
  notification('_posthog/turn_complete', { messageId, stopReason })
const asks = (questionId: string) =>
  notification('_posthog/agent_question', {
    questionId,
    question: 'May I?',
    kind: 'permission',
    options: [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' }],
  })

async function streamOf(
  hub: Hub,
  { task_id }: DelegatedTask,
  query = '',
  headers: Record<string, string> = {},
) {
  const gone = new AbortController()
  onTestFinished(() => gone.abort())
  const answer = await fetch(new URL(`${paths.delegatedStream(task_id)}${query}`, hub.hub.url), {
    headers: { Accept: 'text/event-stream', Authorization: `Bearer ${hub.token}`, ...headers },
    signal: gone.signal,
  })
  return new ReadStream(answer, () => gone.abort())
}

type Read = { id: number | undefined; frame: TaskFrame }

/** Every frame until the hub ends the stream. */
async function wholeStream(...args: Parameters<typeof streamOf>): Promise<Read[]> {
  const stream = await streamOf(...args)
  const read: Read[] = []
  for (let seen = await stream.next(); seen; seen = await stream.next())
    if (seen.data) read.push({ id: seen.id, frame: JSON.parse(seen.data) })
  return read
}

describe('delegated tasks', () => {
  it('W80 a task is a run of its own, with the task and its context as its first message', async () => {
    const hub = await HubUnderTest.start()
    const answer = await delegate(hub, { context: { for: 'Ada' }, conversation_id: 'conv_1' })
    expect(answer.status).toBe(201)
    const task = made(answer)
    expect(task).toMatchObject({ status: 'submitted', conversation_id: 'conv_1', device_id: null })
    expect(task.session_id).toBe(task.run.run)
    const log = String((await hub.ask('GET', paths.log(task.run))).body)
    const lines = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).notification)
    expect(lines[0]).toMatchObject({ method: '_posthog/mode_change', params: { policy: 'ask' } })
    expect(lines[1].params.content).toBe('Write a report\n\nContext:\n{\n  "for": "Ada"\n}')
    const listed = await hub.ask('GET', paths.anyRun(task.session_id))
    expect(listed.body).toMatchObject({ delegated: task.task_id, projectName: 'Delegated' })
  })

  it('W80 a task of the same conversation is another run beside the one before, others are apart', async () => {
    const hub = await HubUnderTest.start()
    const [first, second, other] = [
      made(await delegate(hub, { conversation_id: 'c' })),
      made(await delegate(hub, { conversation_id: 'c' })),
      made(await delegate(hub)),
    ]
    expect(second.run.task).toBe(first.run.task)
    expect(other.run.task).not.toBe(first.run.task)
    expect(other.run.project).toBe(first.run.project)
  })

  it('W80 a task that is sent twice under one key is made once', async () => {
    const hub = await HubUnderTest.start()
    const key = { 'Idempotency-Key': 'k1' }
    const [first, again] = [await delegate(hub, {}, key), await delegate(hub, {}, key)]
    expect(again.body).toEqual(first.body)
    expect((await delegate(hub, { task: 'Another' }, key)).status).toBe(409)
    expect((await hub.ask('GET', paths.delegatedTasks())).body.items).toHaveLength(1)
  })

  it('W80 a task that names a device of its user has it', async () => {
    const hub = await HubUnderTest.start()
    const task = made(await delegate(hub, {}, { 'Device-Id': 'dev_laptop00' }))
    expect(task.device_id).toBe('dev_laptop00')
  })

  it('W80 a hub without sandboxes refuses a task that nothing would work on', async () => {
    const hub = await HubUnderTest.start()
    const refused = await hub.ask('POST', paths.delegatedTasks(), { body: { task: 'x' } })
    expect(refused.status).toBe(409)
    expect(refused.body).toMatchObject({ error: { code: 'sandbox.refused' } })
    expect((await hub.ask('GET', paths.delegatedTasks())).body.items).toEqual([])
  })

  it.each([
    ['no task', { body: {} }, 400],
    ['an empty task', { body: { task: '  ' } }, 400],
    ['a task that is no text', { body: { task: 7 } }, 400],
    ['a context that is too long', { body: { task: 'x', context: 'y'.repeat(70_000) } }, 400],
    ['a context that is a list', { body: { task: 'x', context: [1] } }, 400],
    ['half a JSON', { raw: '{"task":' }, 400],
    ['a body of a megabyte', { body: { task: 'x'.repeat(1024 * 1024) } }, 413],
    ['deep nesting', { raw: `{"task":"x","context":{"a":${'['.repeat(5000)}${']'.repeat(5000)}}}` }, 400],
  ])('W80 %s is refused', async (_, ask, status) => {
    const hub = await HubUnderTest.start()
    expect((await hub.ask('POST', paths.delegatedTasks(), ask)).status).toBe(status)
  })

  it('W81 says how far the work is, which question is open, and then the result', async () => {
    const { task, say, snapshot } = await taskUnderTest()
    expect(await snapshot()).toMatchObject({ status: 'submitted', allowed: ['cancel'], started_at: null })
    const entries = [
      { content: 'Read', status: 'completed' },
      { content: 'Write', status: 'in_progress' },
    ]
    await say(ack(), notification('session/update', { update: { sessionUpdate: 'plan', entries } }))
    await say(chunk('On it.'), asks('q1'))
    expect(await snapshot()).toMatchObject({
      task_id: task.task_id,
      status: 'working',
      progress: { completed: 1, total: 2, current: 'Write' },
      input_needed: [{ question_id: 'q1', prompt: 'May I?', options: ['Allow'] }],
      text: 'On it.',
    })
    await say(notification('_posthog/question_closed', { questionId: 'q1', how: 'cancelled' }), ends())
    const done = await snapshot()
    expect(done).toMatchObject({
      status: 'completed',
      result_summary: 'On it.',
      allowed: [],
      input_needed: [],
    })
    expect(done.completed_at).not.toBe(null)
  })

  it('W81 the list has the newest first, by pages, with states and results, of one conversation or state if asked', async () => {
    const { hub, task, say } = await taskUnderTest({ conversation_id: 'c' })
    await say(ack(), chunk('Done.'), ends())
    for (let n = 0; n < 51; n++) await delegate(hub)
    const page = async (query: string) => (await hub.ask('GET', `${paths.delegatedTasks()}${query}`)).body
    const first = (await page('')) as unknown as { items: DelegatedTask[]; next: string }
    expect(first.items).toHaveLength(50)
    const rest = await page(`?cursor=${first.next}`)
    expect(rest.items).toMatchObject([
      { status: 'submitted' },
      { task_id: task.task_id, status: 'completed', result_summary: 'Done.' },
    ])
    expect((await page('?conversation_id=c')).items).toHaveLength(1)
    expect((await page('?status=completed&conversation_id=c')).items).toHaveLength(1)
    expect((await page('?status=failed&conversation_id=c')).items).toHaveLength(0)
    expect((await hub.ask('GET', `${paths.delegatedTasks()}?status=odd`)).status).toBe(400)
  })

  it('W81 what the store has of a task is only a note: it is corrected from the log', async () => {
    const { hub, task, say, snapshot } = await taskUnderTest()
    await say(ack(), ends())
    await snapshot()
    const store = await openSqliteStore(join(hub.data, 'store.sqlite'))
    onTestFinished(() => store.close())
    const row = () =>
      store.db.selectFrom('acp_tasks').selectAll().where('id', '=', task.task_id).executeTakeFirstOrThrow()
    expect(await row()).toMatchObject({ status: 'completed', session_id: task.session_id })
    await store.db.updateTable('acp_tasks').set({ status: 'working', completed_at: null }).execute()
    expect((await snapshot()).status).toBe('completed')
    expect((await row()).status).toBe('completed')
  })

  it("W89 another user's task is not there, whatever is done with it", async () => {
    const { hub, task } = await taskUnderTest()
    const store = await openSqliteStore(join(hub.data, 'store.sqlite'))
    onTestFinished(() => store.close())
    const { token } = await addUser(store.db, { name: 'eve', role: 'member' }, new Date())
    const id = task.task_id
    const tries = [
      ['GET', paths.delegatedTask(id)],
      ['GET', paths.delegatedStream(id)],
      ['PATCH', paths.delegatedState(id), { action: 'cancel' }],
      ['POST', paths.delegatedInput(id), { input: 'hi' }],
    ] as const
    for (const [method, path, body] of tries) {
      const answer = await hub.ask(method, path, { token, body })
      expect(answer.status, `${method} ${path}`).toBe(404)
      expect(answer.body).toEqual((await hub.ask(method, path.replace(id, 'acp_nosuchtask'), { body })).body)
      expect((await hub.ask(method, path, { token: null, body })).status).toBe(401)
    }
    expect((await hub.ask('GET', paths.delegatedTasks(), { token })).body.items).toEqual([])
    const { token: ofRunner } = await hub.runner(task.run)
    expect((await hub.ask('GET', paths.delegatedTask(id), { token: ofRunner })).status).toBe(403)
  })
})

describe('the state of a delegated task', () => {
  it('W83 is paused with the turn of the agent ended, and goes on with a message when it is resumed', async () => {
    const { hub, task, say, state } = await taskUnderTest()
    await say(ack())
    expect((await state('pause')).body).toMatchObject({ status: 'paused', allowed: ['resume', 'cancel'] })
    const pauses = String((await hub.ask('GET', `${paths.log(task.run)}?after=4`)).body)
    expect(pauses).toContain('_posthog/pause')
    expect(pauses).toContain('_posthog/cancel')
    await say(ends(prompt, 'cancelled'))
    expect((await state('resume')).body).toMatchObject({ status: 'working' })
    const log = String((await hub.ask('GET', paths.log(task.run))).body)
      .trim()
      .split('\n')
    const messages = log
      .map((line) => JSON.parse(line))
      .filter(({ notification: one }) => one.method === '_posthog/user_message')
    await say(ack(messages.at(-1).id), ends(messages.at(-1).id))
    expect((await hub.ask('GET', paths.delegatedTask(task.task_id))).body).toMatchObject({
      status: 'completed',
    })
  })

  it('W83 is not canceled by being resumed before the agent has stopped', async () => {
    const { say, state, snapshot } = await taskUnderTest()
    await say(ack())
    await state('pause')
    await state('resume')
    await say(ends(prompt, 'cancelled'))
    expect(await snapshot()).toMatchObject({ status: 'working' })
  })

  it('W83 is canceled at once, and its run is closed', async () => {
    const { hub, task, say, state } = await taskUnderTest()
    await say(ack())
    expect((await state('cancel')).body).toMatchObject({ status: 'canceled', allowed: [] })
    const { body } = await hub.ask('GET', paths.status(task.run))
    expect(['closed', 'active', 'queued']).toContain((body as unknown as { status: string }).status)
    const again = await state('cancel')
    expect(again.status).toBe(409)
    expect(again.body).toMatchObject({ error: { code: 'task.refused', allowed: [] } })
  })

  it('W83 where clients may not close runs, a task that waits is canceled by taking its message back', async () => {
    const hub = await HubUnderTest.start({ allowClose: false })
    const task = made(await delegate(hub))
    const answer = await hub.ask('PATCH', paths.delegatedState(task.task_id), { body: { action: 'cancel' } })
    expect(answer.body).toMatchObject({ status: 'canceled' })
  })

  it('W83 a page changes it by its run; a run without a task has none to change', async () => {
    const { hub, task, say } = await taskUnderTest()
    await say(ack())
    const body = { action: 'pause' }
    expect((await hub.ask('PUT', paths.runDelegated(task.session_id), { body })).body).toMatchObject({
      task_id: task.task_id,
      status: 'paused',
    })
    const { run } = await hub.run()
    expect((await hub.ask('PUT', paths.runDelegated(run), { body })).body).toMatchObject({
      error: { code: 'task.unknown' },
    })
  })

  it('W83 refuses what is not allowed now, and says what is', async () => {
    const { say, state } = await taskUnderTest()
    const refused = await state('pause')
    expect(refused.status).toBe(409)
    expect(refused.body).toMatchObject({ error: { code: 'task.refused', allowed: ['cancel'] } })
    await say(ack())
    expect((await state('resume')).body).toMatchObject({ error: { allowed: ['pause', 'cancel'] } })
    expect((await state('explode')).status).toBe(400)
  })

  it('W83 understands the state to reach in place of the action', async () => {
    const { hub, task, say } = await taskUnderTest()
    await say(ack())
    const change = (body: unknown) => hub.ask('PATCH', paths.delegatedState(task.task_id), { body })
    expect((await change({ state: 'paused' })).body).toMatchObject({ status: 'paused' })
    expect((await change({ status: 'cancelled' })).body).toMatchObject({ status: 'canceled' })
    expect((await change({ action: 'pause', state: 'canceled' })).status).toBe(400)
    expect((await change({})).status).toBe(400)
  })
})

describe('input to a delegated task', () => {
  it('W82 answers the open question, and tells the agent more when none is open', async () => {
    const { hub, task, say, input } = await taskUnderTest()
    await say(ack(), asks('q1'))
    const wrong = await input({ input: 'whatever' })
    expect(wrong.status).toBe(400)
    expect(wrong.body).toMatchObject({ error: { field: 'input' } })
    expect((await input({ input: 'allow' })).body).toMatchObject({ answered: 'q1' })
    const more = await input({ message: 'And hurry' })
    expect(more.body).toMatchObject({ answered: null })
    const log = String((await hub.ask('GET', `${paths.log(task.run)}?after=5`)).body)
    expect(log).toContain('"answer":"yes"')
    expect(log).toContain('"content":"And hurry","when":"steer"')
  })

  it('W82 that is sent again under its key is stored once, also when the question is answered and the task over', async () => {
    const { hub, task, say, input } = await taskUnderTest()
    await say(ack(), asks('q1'))
    const key = { 'Idempotency-Key': 'k' }
    const first = await input({ input: 'Allow' }, key)
    await say(notification('_posthog/question_closed', { questionId: 'q1', how: 'answered' }), ends())
    expect((await input({ input: 'Allow' }, key)).body).toEqual(first.body)
    expect((await input({ input: 'Allow' })).status).toBe(409)
    const log = String((await hub.ask('GET', paths.log(task.run))).body)
    expect(log.match(/user_response/g)).toHaveLength(1)
  })

  it('W82 without input, or far too long, is refused', async () => {
    const { input } = await taskUnderTest()
    expect((await input({})).status).toBe(400)
    expect((await input({ input: 'x'.repeat(40_000) })).status).toBe(400)
    expect((await input({ input: 'x'.repeat(600_000) })).status).toBe(413)
  })
})

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
