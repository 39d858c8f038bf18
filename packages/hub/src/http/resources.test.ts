import type { ListedRun } from '@farhand/protocol/schemas/api'
import { paths } from '@farhand/protocol/wire/routes'
import { describe, expect, it } from 'vitest'
import { addUser } from '../access/users.ts'
import { openSqliteStore } from '../store/sqlite-store.ts'
import { HubUnderTest } from './hub-under-test.ts'

describe('projects, tasks and runs', () => {
  it('W1 W2 a project, a task and a run are made with ids of their kind and found again', async () => {
    const hub = await HubUnderTest.start()
    const made = await hub.ask('POST', '/api/projects', { body: { name: 'Farm' } })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ id: expect.stringMatching(/^prj_/), name: 'Farm' })
    const at = await hub.run({ agent: 'rehearsal', mode: 'background' })
    const run = await hub.ask('GET', paths.run(at))
    expect(run.body).toEqual({
      id: at.run,
      project: at.project,
      task: at.task,
      agent: 'rehearsal',
      mode: 'background',
      sandbox: 'none',
      terms: {},
      forkOf: null,
      createdAt: expect.any(String),
    })
    expect((await hub.ask('GET', paths.status(at))).body).toMatchObject({ mode: 'background' })
  })

  it('W2 a list is newest first, 50 a page, and its cursor leads to the rest', async () => {
    const hub = await HubUnderTest.start()
    for (let n = 1; n <= 53; n++) await hub.ask('POST', '/api/projects', { body: { name: `p${n}` } })
    const first = (await hub.ask('GET', '/api/projects')).body as unknown as Page
    expect(first.items.map(({ name }) => name)).toEqual(Array.from({ length: 50 }, (_, n) => `p${53 - n}`))
    const rest = (await hub.ask('GET', `/api/projects?cursor=${first.next}`)).body as unknown as Page
    expect(rest).toMatchObject({ items: [{ name: 'p3' }, { name: 'p2' }, { name: 'p1' }], next: null })
    expect((await hub.ask('GET', '/api/projects?cursor=nonsense')).status).toBe(400)
  })

  it('W2 what belongs to one project or task cannot be reached through another', async () => {
    const hub = await HubUnderTest.start()
    const [one, two] = [await hub.run(), await hub.run()]
    expect((await hub.ask('GET', paths.task(one.project, two.task))).status).toBe(404)
    const stray = { ...one, run: two.run }
    expect((await hub.ask('GET', paths.status(stray))).body).toMatchObject({ error: { code: 'run.unknown' } })
    await hub.ask('GET', paths.status(two))
    expect((await hub.ask('GET', paths.status(stray))).status).toBe(404)
  })

  it('W2 without a token 401; with the token of another user the same 404 as for a run that does not exist', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    expect((await hub.ask('GET', paths.run(at), { token: null })).body).toMatchObject({
      error: { code: 'token.missing', remedy: 'sign-in' },
    })
    expect((await hub.ask('GET', paths.run(at), { token: 'fh_wrong' })).status).toBe(401)
    const token = await stranger(hub)
    const theirs = await hub.ask('GET', paths.run(at), { token })
    const nobodys = await hub.ask(
      'GET',
      paths.run({ ...at, run: 'run_00000000000000000000' as typeof at.run }),
      { token },
    )
    expect(theirs.status).toBe(404)
    expect(theirs.body).toEqual(nobodys.body)
    expect((await hub.ask('GET', '/api/projects', { token })).body).toEqual({ items: [], next: null })
  })

  it('W2 a run is found by its id alone, but not by another user', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    expect((await hub.ask('GET', paths.anyRun(at.run))).body).toMatchObject(
      (await hub.ask('GET', paths.run(at))).body,
    )
    const theirs = await hub.ask('GET', paths.anyRun(at.run), { token: await stranger(hub) })
    expect(theirs).toMatchObject({ status: 404, body: { error: { code: 'run.unknown' } } })
    expect((await hub.ask('GET', '/api/runs/nonsense')).body).toEqual(theirs.body)
  })

  it('W48 neither another user nor its runner can rename, archive, mute or look at a run', async () => {
    const hub = await HubUnderTest.start()
    const at = await hub.run()
    const before = (await hub.ask('GET', paths.anyRun(at.run))).body
    const [theirs, runners] = [await stranger(hub), (await hub.runner(at)).token]
    const deeds = [
      [paths.runTitle(at.run), { title: 'mine' }],
      [paths.runArchived(at.run), { isArchived: true }],
      [paths.runMuted(at.run), { isMuted: true }],
      [paths.runLooking(at.run), { isLooking: true, client: 'tab1' }],
    ] as const
    for (const [path, body] of deeds) {
      expect((await hub.ask('PUT', path, { body, token: theirs })).status, path).toBe(404)
      expect((await hub.ask('PUT', path, { body, token: runners })).status, path).toBe(403)
    }
    const { title, isArchived, isMuted } = before as unknown as ListedRun
    const after = (await hub.ask('GET', paths.anyRun(at.run))).body
    expect(after).toMatchObject({ title, isArchived, isMuted })
  })

  it("W2 a runner's token opens its own run and nothing around it", async () => {
    const hub = await HubUnderTest.start()
    const [mine, other] = [await hub.run(), await hub.run()]
    const { token } = await hub.runner(mine)
    expect((await hub.ask('GET', paths.status(mine), { token })).status).toBe(200)
    expect((await hub.ask('GET', paths.status(other), { token })).status).toBe(404)
    expect((await hub.ask('GET', '/api/projects', { token })).status).toBe(403)
    expect((await hub.ask('POST', paths.runner(mine), { token, body: {} })).status).toBe(403)
    const forged = token.replace('fhr_1_', 'fhr_2_')
    expect((await hub.ask('GET', paths.status(mine), { token: forged })).status).toBe(401)
  })

  it('W9 the same key makes one project, another body under it is refused', async () => {
    const hub = await HubUnderTest.start()
    const headers = { 'Idempotency-Key': 'k1' }
    const asks = await Promise.all(
      Array.from({ length: 5 }, () => hub.ask('POST', '/api/projects', { body: { name: 'once' }, headers })),
    )
    expect(new Set(asks.map(({ body }) => body.id)).size).toBe(1)
    expect((await hub.ask('GET', '/api/projects')).body.items).toHaveLength(1)
    const other = await hub.ask('POST', '/api/projects', { body: { name: 'twice' }, headers })
    expect(other).toMatchObject({ status: 409, body: { error: { code: 'key.reused' } } })
  })

  it('W9 a run asked for twice under one key has its prompt once', async () => {
    const hub = await HubUnderTest.start()
    const { project, task } = await hub.run()
    const ask = () =>
      hub.ask('POST', paths.runs(project, task), {
        body: { prompt: 'hello' },
        headers: { 'Idempotency-Key': 'r' },
      })
    const [one, two] = [await ask(), await ask()]
    expect(two.body).toEqual(one.body)
    const at = { project, task, run: one.body.id }
    expect((await hub.ask('GET', paths.status(at))).body).toMatchObject({ lastEventId: 1 })
  })

  it('W3 the refusal of a wrong body names the field; unknown paths and methods have the same shape of error', async () => {
    const hub = await HubUnderTest.start()
    expect((await hub.ask('POST', '/api/projects', { body: { name: 7 } })).body).toMatchObject({
      error: { code: 'request.malformed', field: 'name', remedy: 'fix-request' },
    })
    expect((await hub.ask('POST', '/api/projects', { raw: '{"name"' })).status).toBe(400)
    expect((await hub.ask('GET', '/nothing/here')).body).toMatchObject({ error: { code: 'route.unknown' } })
    const wrong = await hub.ask('DELETE', '/api/projects')
    expect(wrong).toMatchObject({ status: 405, body: { error: { code: 'route.method-not-allowed' } } })
    expect(wrong.headers.get('allow')).toBe('GET, POST')
    const typed = (type: string) =>
      hub.ask('POST', '/api/projects', { raw: 'name=x', headers: { 'Content-Type': type } })
    expect((await typed('multipart/form-data; boundary=x')).status).toBe(415)
    // What curl -d says of any body, JSON too: it is read, and this one is none.
    expect((await typed('application/x-www-form-urlencoded')).status).toBe(400)
  })
})

type Page = { items: { name: string }[]; next: string | null }

async function stranger(hub: HubUnderTest): Promise<string> {
  const store = await openSqliteStore(`${hub.data}/store.sqlite`)
  try {
    return (await addUser(store.db, { name: 'stranger', role: 'member' }, new Date())).token
  } finally {
    await store.close()
  }
}
