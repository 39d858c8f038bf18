import { join } from 'node:path'
import type { DelegatedTask } from '@farhand/protocol/delegated/delegated-tasks'
import { paths } from '@farhand/protocol/wire/routes'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bindDevice } from '../../access/bound-devices.ts'
import { openSecret } from '../../access/secret.ts'
import { idOfUser } from '../../access/tokens.ts'
import { addUser } from '../../access/users.ts'
import { openSqliteStore } from '../../store/sqlite-store.ts'
import { chunk, HubUnderTest, notification } from '../hub-under-test.ts'
import { ack, asks, delegate, ends, made, prompt, taskUnderTest } from './delegated-under-test.ts'

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

  it('W80 a project that a user calls Delegated gets no task that a program delegates', async () => {
    const hub = await HubUnderTest.start()
    const own = await hub.ask('POST', paths.projects(), { body: { name: 'Delegated' } })
    const [first, second] = [made(await delegate(hub)), made(await delegate(hub))]
    expect(first.run.project).not.toBe(own.body.id)
    expect(second.run.project).toBe(first.run.project)
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

  it('W80 a task that is delegated with the token of a bound device has that device', async () => {
    const hub = await HubUnderTest.start()
    const store = await openSqliteStore(join(hub.data, 'store.sqlite'))
    onTestFinished(() => store.close())
    const user = await idOfUser(store.db, 'owner')
    const { acp_token: token, device_id } = await bindDevice(
      { db: store.db, secret: await openSecret(hub.data) },
      { user, name: 'laptop' },
      new Date(),
    )
    const body = { task: 'Write a report', sandbox: 'none' }
    const task = made(await hub.ask('POST', paths.delegatedTasks(), { body, token }))
    expect(task.device_id).toBe(device_id)
    expect((await hub.ask('GET', paths.delegatedTask(task.task_id), { token })).status).toBe(200)
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
    expect(log).toContain('"content":"And hurry","when":"queue"')
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
