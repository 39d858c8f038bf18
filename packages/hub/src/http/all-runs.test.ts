import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ListedRun } from '@farhand/protocol/schemas/api'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { addUser } from '../access/users.ts'
import { openSqliteStore } from '../store/sqlite-store.ts'
import { HubUnderTest, message, notification } from './hub-under-test.ts'

type Page = { items: ListedRun[]; next: string | null }

const list = async (hub: HubUnderTest, query = '', token = hub.token) =>
  (await hub.ask('GET', `/api/runs${query}`, { token })).body as unknown as Page
const idsOf = ({ items }: Page) => items.map(({ id }) => id)

describe('all runs of a user', () => {
  it('W2 W23 are listed newest first, with their task and their status', async () => {
    const hub = await HubUnderTest.start()
    const [one, two] = [await hub.run({ agent: 'rehearsal' }), await hub.run()]
    const { token } = await hub.runner(one)
    await hub.post(one, message('hello'))
    await hub.post(one, notification('_posthog/ack', { for: '_posthog/user_message', id: 2 }), { token })
    const asked = { questionId: 'qst_00000001', question: 'Which?', kind: 'question' }
    await hub.post(one, notification('_posthog/agent_question', asked), { token })
    await hub.post(one, notification('_posthog/mode_change', { mode: 'background' }))
    const page = await list(hub)
    expect(page.next).toBeNull()
    expect(page.items).toMatchObject([
      { id: two.run, now: { status: 'queued', agentStatus: 'idle', questions: 0, lastEventId: 0 } },
      { id: one.run, now: { status: 'active', agentStatus: 'waiting', questions: 1, mode: 'background' } },
    ])
    expect(page.items[1]).toEqual({
      ...((await hub.ask('GET', paths.run(one))).body as object),
      schedule: null,
      projectName: 'p',
      title: 't',
      now: {
        ...{ status: 'active', agentStatus: 'waiting', mode: 'background', questions: 1, lastEventId: 5 },
        sandboxHealthy: false,
        messagesWaiting: 0,
        closing: false,
        plan: null,
        ...{ turnSince: expect.any(String), turns: 0, stopReason: null, lastActivityAt: expect.any(String) },
      },
      isArchived: false,
      delegated: null,
      isMuted: false,
      seen: null,
      role: 'owner',
    })
    expect((await hub.ask('GET', paths.anyRun(one.run))).body).toEqual(page.items[1])
    const stream = await hub.stream(one, '?to=agent', {}, token)
    await stream.until(({ event }) => event === 'live')
    const healthy = (await list(hub)).items.map(({ now }) => now?.sandboxHealthy)
    expect(healthy).toEqual([false, true])
  })

  it('W2 are 50 a page, and only those that the token may see', async () => {
    const hub = await HubUnderTest.start()
    const { project, task, run } = await hub.run()
    const made: string[] = [run]
    for (let n = 0; n < 51; n++)
      made.push((await hub.ask('POST', paths.runs(project, task), { body: { sandbox: 'none' } })).body.id)
    const first = await list(hub)
    expect(idsOf(first)).toEqual(made.toReversed().slice(0, 50))
    expect(idsOf(await list(hub, `?cursor=${first.next}`))).toEqual(made.toReversed().slice(50))
    const store = await openSqliteStore(join(hub.data, 'store.sqlite'))
    const { token } = await addUser(store.db, { name: 'stranger', role: 'member' }, new Date())
    await store.close()
    expect(await list(hub, '', token)).toEqual({ items: [], next: null })
    expect(await list(hub, `?begins=${run}`, token)).toEqual({ items: [], next: null })
    const runner = await hub.runner({ project, task, run })
    expect((await hub.ask('GET', '/api/runs', { token: runner.token })).status).toBe(403)
    expect((await hub.ask('GET', '/api/runs', { token: null })).status).toBe(401)
  })

  it('W23 can be filtered by the status in their log, also after they were closed and opened again', async () => {
    const hub = await HubUnderTest.start()
    const [one, two, three] = [await hub.run(), await hub.run(), await hub.run()]
    const close = (at: RunAddress) => hub.ask('DELETE', paths.sync(at))
    await hub.runner(two)
    await close(one)
    expect(idsOf(await list(hub, '?status=closed'))).toEqual([one.run])
    expect(idsOf(await list(hub, '?status=queued'))).toEqual([three.run])
    expect(idsOf(await list(hub, '?status=active'))).toEqual([two.run])
    await hub.post(one, notification('_posthog/session_init'))
    await close(three)
    expect(idsOf(await list(hub, '?status=queued'))).toEqual([one.run])
    expect(idsOf(await list(hub, '?status=closed'))).toEqual([three.run])
  })

  it('W23 are found by the status in their log, even if the store takes a closed run for an open one', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    await hub.ask('DELETE', paths.sync(at))
    const isOpen = async (set?: 1) => {
      const { db, close } = await openSqliteStore(join(hub.data, 'store.sqlite'))
      if (set) await db.updateTable('runs').set({ is_open: set }).execute()
      const row = await db.selectFrom('runs').select('is_open').executeTakeFirstOrThrow()
      await close()
      return row.is_open
    }
    expect(await isOpen()).toBe(0)
    // As after a crash, or an upgrade.
    await isOpen(1)
    expect(idsOf(await list(hub, '?status=closed'))).toEqual([at.run])
    expect(await isOpen()).toBe(0)
    await isOpen(1)
    expect(idsOf(await list(hub, '?status=queued'))).toEqual([])
    expect(await isOpen()).toBe(0)
  })

  it('W23 can be filtered by whether they wait for a user, no matter how old: answered, closed and lost ones do not', async () => {
    const hub = await HubUnderTest.start()
    const asked = (id: string) =>
      notification('_posthog/agent_question', { questionId: id, question: 'Which?' })
    const [answered, closed, again] = [await hub.run(), await hub.run(), await hub.run()]
    const [one, two] = [await hub.run(), await hub.run()]
    for (const at of [answered, closed, again, one, two]) {
      const { token } = await hub.runner(at)
      await hub.post(at, asked('qst_00000001'), { token })
    }
    const { project, task } = one
    for (let n = 0; n < 50; n++)
      await hub.ask('POST', paths.runs(project, task), { body: { sandbox: 'none' } })
    expect((await list(hub)).items.every(({ now }) => now?.questions === 0)).toBe(true)
    const waiting = async (query = '') => idsOf(await list(hub, `?waiting=true${query}`))
    expect(await waiting()).toEqual([two, one, again, closed, answered].map(({ run }) => run))
    await hub.post(
      answered,
      notification('_posthog/user_response', { questionId: 'qst_00000001', answer: 'a' }),
    )
    await hub.ask('DELETE', paths.sync(closed))
    // A question of a runner that is gone cannot be answered any more (W30); what the next one asks can.
    const { token } = await hub.runner(again)
    await hub.ask('PUT', paths.runArchived(two.run), { body: { isArchived: true } })
    expect(await waiting()).toEqual([two.run, one.run])
    expect(await waiting('&archived=false')).toEqual([one.run])
    await hub.post(again, asked('qst_00000002'), { token })
    expect(await waiting()).toEqual([two.run, one.run, again.run])
  })

  it('W23 that no longer wait are not read again, once a request has asked for the waiting ones', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const { token } = await hub.runner(at)
    const { db, close } = await openSqliteStore(join(hub.data, 'store.sqlite'))
    const hint = async () =>
      (await db.selectFrom('runs').select('may_wait').executeTakeFirstOrThrow()).may_wait
    expect(await hint()).toBe(0)
    const asked = { questionId: 'qst_00000001', question: 'Which?' }
    await hub.post(at, notification('_posthog/agent_question', asked), { token })
    expect(await hint()).toBe(1)
    await hub.post(at, notification('_posthog/question_closed', { ...asked, how: 'cancelled' }), { token })
    // Only a request for the waiting ones finds out that this one does not wait.
    expect(idsOf(await list(hub))).toEqual([at.run])
    expect(await hint()).toBe(1)
    expect(idsOf(await list(hub, '?waiting=true'))).toEqual([])
    expect(await hint()).toBe(0)
    await close()
  })

  it('W23 are listed also if the hub cannot write to its store, as on a full disk', async () => {
    const hub = await HubUnderTest.start()
    const [asks, asked, closed] = [await hub.run(), await hub.run(), await hub.run()]
    const question = { questionId: 'qst_00000001', question: 'Which?' }
    for (const at of [asks, asked]) {
      const { token } = await hub.runner(at)
      await hub.post(at, notification('_posthog/agent_question', question), { token })
    }
    await hub.post(asked, notification('_posthog/user_response', { ...question, answer: 'a' }))
    await hub.ask('DELETE', paths.sync(closed))
    const { db, close } = await openSqliteStore(join(hub.data, 'store.sqlite'))
    await db.updateTable('runs').set({ is_open: 1 }).where('id', '=', closed.run).execute()
    await sql`create trigger full before update on runs begin select raise(fail, 'full'); end`.execute(db)
    await close()
    expect(idsOf(await list(hub, '?waiting=true'))).toEqual([asks.run])
    expect(idsOf(await list(hub, '?status=closed'))).toEqual([closed.run])
  })

  it('are found by how their ids begin', async () => {
    const hub = await HubUnderTest.start()
    const [one, two] = [await hub.run(), await hub.run()]
    expect(idsOf(await list(hub, `?begins=${one.run.slice(0, 12)}`))).toEqual([one.run])
    expect(idsOf(await list(hub, '?begins=run_'))).toEqual([two.run, one.run])
  })

  it('W48 are found by their title, their project’s name and their id, in capitals or small letters', async () => {
    const hub = await HubUnderTest.start()
    const [one, two] = [await hub.run(), await hub.run()]
    const title = (text: string) => hub.ask('PUT', paths.runTitle(one.run), { body: { title: text } })
    await title('Mend 100% of the Parser_')
    expect((await list(hub, '?find=parser_')).items).toMatchObject([
      { id: one.run, title: 'Mend 100% of the Parser_' },
    ])
    expect(idsOf(await list(hub, '?find=0%25 of'))).toEqual([one.run])
    expect(idsOf(await list(hub, '?find=1_0'))).toEqual([])
    expect(idsOf(await list(hub, '?find=P'))).toEqual([two.run, one.run])
    expect(idsOf(await list(hub, `?find=${two.run}`))).toEqual([two.run])
    expect(await title(' ')).toMatchObject({ status: 400, body: { error: { field: 'title' } } })
  })

  it('W48 are archived and restored by their own user, and by no other', async () => {
    const hub = await HubUnderTest.start()
    const [one, two] = [await hub.run(), await hub.run()]
    const put = (isArchived: unknown, token = hub.token) =>
      hub.ask('PUT', paths.runArchived(one.run), { body: { isArchived }, token })
    expect((await put(true)).status).toBe(200)
    expect(idsOf(await list(hub, '?archived=false'))).toEqual([two.run])
    expect((await list(hub, '?archived=true')).items).toMatchObject([{ id: one.run, isArchived: true }])
    expect(idsOf(await list(hub))).toEqual([two.run, one.run])
    await put(false)
    expect(idsOf(await list(hub, '?archived=true'))).toEqual([])
    const store = await openSqliteStore(join(hub.data, 'store.sqlite'))
    const { token } = await addUser(store.db, { name: 'stranger', role: 'member' }, new Date())
    await store.close()
    for (const path of [paths.runArchived, paths.runTitle, paths.runMuted, paths.runLooking])
      expect((await hub.ask('PUT', path(one.run), { body: {}, token })).status).toBe(404)
    expect((await put('yes')).status).toBe(400)
  })

  it('W3 a filter with an unknown value is refused', async () => {
    const hub = await HubUnderTest.start()
    for (const [query, field] of [
      ['status=sleepy', 'status'],
      ['begins=prj_1', 'begins'],
      ['begins=run_%25', 'begins'],
      ['archived=maybe', 'archived'],
      ['waiting=false', 'waiting'],
      ['find=', 'find'],
      ['cursor=nonsense', 'cursor'],
    ]) {
      const answer = await hub.ask('GET', `/api/runs?${query}`)
      expect(answer, query).toMatchObject({ status: 400, body: { error: { field } } })
    }
  })

  it('are all listed if the log of one cannot be read; the status of that one is unknown', async () => {
    const hub = await HubUnderTest.start()
    const [one, two] = [await hub.run(), await hub.run()]
    await hub.post(one, message('hello'))
    await hub.hub.stop()
    for (const end of ['jsonl', 'head.json'])
      await rm(join(hub.data, 'logs', `${one.run}.${end}`), { force: true })
    await mkdir(join(hub.data, 'logs', `${one.run}.jsonl`))
    const again = await HubUnderTest.on(hub.data, {}, hub.token)
    expect((await list(again)).items).toMatchObject([{ id: two.run }, { id: one.run, now: null }])
  })
})
