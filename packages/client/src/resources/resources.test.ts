import { hangUp, json, someRun } from '@farhand/testkit/scripted-hub'
import { describe, expect, it } from 'vitest'
import { hubThat } from '../requests/hub-under-test.ts'
import { Unconfirmed } from '../requests/unconfirmed.ts'
import {
  addressOf,
  beginRunner,
  closeRun,
  createProject,
  createRun,
  createTask,
  endRunner,
  initRun,
  listAllRuns,
  listProjects,
  listRuns,
  listTasks,
  runStatus,
} from './resources.ts'

const { project, task, run } = someRun
const createdAt = '2026-11-15T10:00:00.000Z'
const aProject = { id: project, name: 'Shop', owner: 'usr_12345678', createdAt }
const aTask = { id: task, project, title: 'Fix the login', prompt: null, createdAt }
const aRun = { id: run, project, task, agent: null, mode: 'interactive', sandbox: 'none', createdAt }
const fast = { backoff: { firstMs: 2, maxMs: 8 } }
const root = `/api/projects/${project}/tasks/${task}/runs/${run}`

describe('resources', () => {
  it('W2 creates a project, a task in it and a run of that', async () => {
    const hub = await hubThat(json(201, aProject), json(201, aTask), json(201, aRun))
    const shop = await createProject({ url: hub.url }, { name: 'Shop' })
    const login = await createTask({ url: hub.url }, shop.id, { title: 'Fix the login' })
    const first = await createRun({ url: hub.url }, shop.id, login.id, { sandbox: 'none' })
    expect(addressOf(first)).toEqual(someRun)
    expect(hub.requests.map(({ method, path, body }) => [method, path, JSON.parse(body.toString())])).toEqual(
      [
        ['POST', '/api/projects', { name: 'Shop' }],
        ['POST', `/api/projects/${project}/tasks`, { title: 'Fix the login' }],
        ['POST', `/api/projects/${project}/tasks/${task}/runs`, { sandbox: 'none' }],
      ],
    )
  })

  it('W9 creates once, although the answer got lost', async () => {
    const hub = await hubThat(hangUp, json(201, aProject))
    await createProject({ url: hub.url }, { name: 'Shop' }, fast)
    const [first, second] = hub.requests.map(({ headers }) => headers['idempotency-key'])
    expect(first).toMatch(/^[0-9A-Za-z]{22}$/)
    expect(second).toBe(first)
  })

  it('W9 names the key to create it again when it is unknown whether it was created', async () => {
    const hub = await hubThat(hangUp)
    const creating = createProject({ url: hub.url }, { name: 'Shop' }, { ...fast, patienceMs: 20 })
    const unconfirmed = await creating.catch((error) => error)
    expect(unconfirmed).toBeInstanceOf(Unconfirmed)
    expect(unconfirmed.key).toBe(hub.requests[0]?.headers['idempotency-key'])
  })

  it('W2 lists page by page', async () => {
    const page = (items: unknown[], next: string | null) => json(200, { items, next })
    const hub = await hubThat(
      page([aProject], 'more'),
      page([], null),
      page([aTask], null),
      page([aRun], null),
    )
    const { items, next } = await listProjects({ url: hub.url })
    expect(items[0]?.name).toBe('Shop')
    expect(await listProjects({ url: hub.url }, { cursor: next! })).toEqual({ items: [], next: null })
    expect((await listTasks({ url: hub.url }, project)).items[0]?.title).toBe('Fix the login')
    expect((await listRuns({ url: hub.url }, project, task)).items[0]?.mode).toBe('interactive')
    expect(hub.requests[1]?.query.get('cursor')).toBe('more')
  })

  it('W2 lists all runs of a user, as they are asked for', async () => {
    const now = { status: 'active', agentStatus: 'idle', mode: 'interactive', questions: 0, lastEventId: 4 }
    const listed = { ...aRun, projectName: 'Shop', title: 'Fix the login', now }
    const hub = await hubThat(
      json(200, { items: [listed], next: 'more' }),
      json(200, { items: [], next: null }),
    )
    expect(await listAllRuns({ url: hub.url })).toEqual({ items: [listed], next: 'more' })
    await listAllRuns({ url: hub.url }, { status: 'active', begins: 'run_1', cursor: 'more' })
    expect(hub.requests.map(({ path, query }) => [path, Object.fromEntries(query)])).toEqual([
      ['/api/runs', {}],
      ['/api/runs', { status: 'active', begins: 'run_1', cursor: 'more' }],
    ])
  })

  it('W8 begins the next generation of a runner', async () => {
    const grant = { token: 'secret', generation: 3, previousSeq: null }
    const hub = await hubThat(json(201, grant))
    expect(await beginRunner({ url: hub.url }, someRun)).toEqual(grant)
    expect(hub.requests[0]).toMatchObject({ method: 'POST', path: `${root}/runner` })
  })

  it('W22 says for a runner that it is done', async () => {
    const hub = await hubThat(json(200, { ok: true }))
    await endRunner({ url: hub.url }, someRun)
    expect(hub.requests[0]).toMatchObject({ method: 'DELETE', path: `${root}/runner` })
  })

  it('W12, W22, W23 asks how a run is, closes it and opens it again', async () => {
    const status = {
      status: 'active',
      sandboxHealthy: false,
      lastEventId: 4,
      agentStatus: 'idle',
      pendingQuestion: null,
      pendingQuestions: [],
      lastCommit: null,
      mode: 'interactive',
    }
    const hub = await hubThat(json(200, status), json(202, { lastEventId: 5 }), json(200, {}))
    expect(await runStatus({ url: hub.url }, someRun)).toEqual(status)
    await closeRun({ url: hub.url }, someRun)
    await initRun({ url: hub.url }, someRun)
    expect(hub.requests.map(({ method, path }) => [method, path])).toEqual([
      ['GET', `${root}/sync/status`],
      ['DELETE', `${root}/sync`],
      ['POST', `${root}/sync`],
    ])
    expect(JSON.parse(hub.requests[2]!.body.toString()).method).toBe('_posthog/session_init')
  })

  it('finds a hub that lives below a path of its host', async () => {
    const hub = await hubThat(json(200, { items: [], next: null }))
    await listProjects({ url: `${hub.url}/tools/farhand/` })
    expect(hub.requests[0]?.path).toBe('/tools/farhand/api/projects')
  })
})
