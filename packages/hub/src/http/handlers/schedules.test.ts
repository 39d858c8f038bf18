import { createServer, request } from 'node:http'
import type { ListedRun, Project } from '@farhand/protocol/schemas/api'
import type { NewSchedule, Occurrence, Schedule } from '@farhand/protocol/schemas/schedules'
import { paths } from '@farhand/protocol/wire/routes'
import { FakePush } from '@farhand/testkit/fake-push'
import { onLoopback } from '@farhand/testkit/on-loopback'
import { describe, expect, it, onTestFinished } from 'vitest'
import { revokeTokens } from '../../access/tokens.ts'
import { addUser } from '../../access/users.ts'
import { openSqliteStore } from '../../store/sqlite-store.ts'
import { HubUnderTest, notification } from '../hub-under-test.ts'

const daily = { kind: 'cron' as const, cron: '0 9 * * *', zone: 'Europe/Berlin' }

const soon = { timeout: 60_000 }

async function start(settings = {}) {
  const hub = await HubUnderTest.start(settings)
  const project = (await hub.ask('POST', paths.projects(), { body: { name: 'Garden' } }))
    .body as unknown as Project
  const asked = (said: Record<string, unknown> = {}) =>
    ({
      project: project.id,
      name: 'Water it',
      timing: daily,
      run: { prompt: 'water', agent: 'rehearsal' },
      ...said,
    }) as NewSchedule
  const make = (said: Record<string, unknown> = {}, headers = {}) =>
    hub.ask('POST', paths.schedules(), { body: asked(said), headers })
  const made = async (said: Record<string, unknown> = {}) => (await make(said)).body as unknown as Schedule
  const ledger = async ({ id }: Schedule) =>
    (await hub.ask('GET', paths.occurrences(id))).body.items as unknown as Occurrence[]
  return { hub, project, asked, make, made, ledger }
}

async function stranger(hub: HubUnderTest): Promise<string> {
  const store = await openSqliteStore(`${hub.data}/store.sqlite`)
  try {
    return (await addUser(store.db, { name: 'stranger', role: 'member' }, new Date())).token
  } finally {
    await store.close()
  }
}

/** A user's server, which keeps what it is sent. */
async function receiver() {
  const calls: { body: Record<string, unknown>; signature: unknown }[] = []
  const server = createServer((req, res) => {
    const parts: Buffer[] = []
    req.on('data', (part: Buffer) => parts.push(part))
    req.on('end', () => {
      calls.push({
        body: JSON.parse(Buffer.concat(parts).toString()),
        signature: req.headers['farhand-signature'],
      })
      res.writeHead(204).end()
    })
  })
  const { url, close } = await onLoopback(server)
  onTestFinished(close)
  return { url, calls }
}

describe('schedules over HTTP', { timeout: 120_000 }, () => {
  it('W90 are made with their next three due times, listed, changed and deleted', async () => {
    const { hub, project, made } = await start()
    const one = await made()
    expect(one).toMatchObject({
      id: expect.stringMatching(/^sch_/),
      projectName: 'Garden',
      ...{ status: 'active', catchUp: 'latest', overlap: 'skip', pauseAfter: 5, runs: 0, last: null },
      callback: null,
    })
    expect(one.next).toHaveLength(3)
    const two = await made({ name: 'Another' })
    const list = (await hub.ask('GET', paths.schedules())).body as unknown as { items: Schedule[] }
    expect(list.items.map(({ id }) => id)).toEqual([two.id, one.id])
    const changed = await hub.ask('PATCH', paths.schedule(one.id), {
      body: { name: 'Evenings', timing: { kind: 'every', seconds: 7200 } },
    })
    expect(changed.body).toMatchObject({ name: 'Evenings', timing: { seconds: 7200 }, project: project.id })
    expect((await hub.ask('DELETE', paths.schedule(one.id))).status).toBe(200)
    expect(await hub.ask('GET', paths.schedule(one.id))).toMatchObject({
      status: 404,
      body: { error: { code: 'schedule.unknown' } },
    })
  })

  it('W90 asked for twice under one key are one schedule', async () => {
    const { hub, make } = await start()
    const headers = { 'Idempotency-Key': 'k' }
    const [first, second] = [await make({}, headers), await make({}, headers)]
    expect(second.body).toEqual(first.body)
    expect((await make({ name: 'Other' }, headers)).body).toMatchObject({ error: { code: 'key.reused' } })
    expect((await hub.ask('GET', paths.schedules())).body.items).toHaveLength(1)
  })

  it('W96 start a run when their user asks for it, also while paused, and the ledger and the list of runs say so', async () => {
    const { hub, made, ledger } = await start()
    const schedule = await made({ isPaused: true })
    expect(schedule).toMatchObject({ status: 'paused', reason: 'You paused it.', next: [] })
    const headers = { 'Idempotency-Key': 'now' }
    const now = await hub.ask('POST', paths.scheduleRunNow(schedule.id), { headers })
    expect(now).toMatchObject({ status: 201, body: { by: 'user' } })
    expect((await hub.ask('POST', paths.scheduleRunNow(schedule.id), { headers })).body).toEqual(now.body)
    await expect.poll(() => ledger(schedule), soon).toMatchObject([{ state: 'started' }])
    const [of] = await ledger(schedule)
    const run = (await hub.ask('GET', paths.anyRun(of!.run!))).body as unknown as ListedRun
    expect(run).toMatchObject({
      title: 'Water it',
      mode: 'background',
      schedule: { id: schedule.id, name: 'Water it' },
    })
    const at = { project: run.project, task: run.task, run: run.id }
    await expect.poll(async () => (await hub.ask('GET', paths.log(at))).body, soon).toContain('"water"')
    expect((await hub.ask('GET', paths.log(at))).body).toContain(
      `"by":{"kind":"channel","id":"${schedule.id}"}`,
    )

    const { token } = await hub.runner(at)
    const say = (method: string, params: Record<string, unknown>) =>
      hub.post(at, notification(method, params), { token })
    await say('_posthog/ack', { for: '_posthog/user_message', id: 2 })
    expect(await ledger(schedule)).toMatchObject([{ state: 'started' }])
    await say('_posthog/turn_complete', { messageId: 2, stopReason: 'end_turn' })
    await expect.poll(() => ledger(schedule), soon).toMatchObject([{ state: 'finished', run: run.id }])
    await hub.ask('DELETE', paths.schedule(schedule.id))
    expect((await hub.ask('GET', paths.anyRun(run.id))).body).toMatchObject({
      schedule: { name: 'Water it' },
    })
  })

  it('W96 are not due while paused, and after that only from then on', async () => {
    const { hub, made } = await start()
    const schedule = await made({ timing: { kind: 'every', seconds: 60 } })
    const patch = (body: object) => hub.ask('PATCH', paths.schedule(schedule.id), { body })
    expect((await patch({ isPaused: true })).body).toMatchObject({ status: 'paused', next: [] })
    const resumed = (await patch({ isPaused: false })).body as unknown as Schedule
    expect(resumed).toMatchObject({ status: 'active', reason: null, failures: 0 })
    expect(resumed.next).toHaveLength(3)
    expect((await patch({ until: '2020-01-01T00:00:00Z' })).body).toMatchObject({ status: 'ended', next: [] })
    expect((await patch({ until: null })).body).toMatchObject({ status: 'active' })
  })

  it('W96 keep a new timing though a change of their name, asked for before it, is read after it', async () => {
    const { hub, made } = await start()
    const { id } = await made()
    const headers = { Authorization: `Bearer ${hub.token}`, 'Content-Type': 'application/json' }
    const slow = request(new URL(paths.schedule(id), hub.hub.url), { method: 'PATCH', headers })
    const answered = new Promise((resolve, reject) => {
      slow.on('response', (answer) => answer.resume().on('end', () => resolve(answer.statusCode)))
      slow.on('error', reject)
    })
    await new Promise((sent) => slow.write('{"name":', sent))
    // The hub has received the first request when it has answered others.
    for (let n = 0; n < 3; n++) await hub.ask('GET', paths.schedule(id))
    const timing = { kind: 'every', seconds: 60 }
    const retimed = await hub.ask('PATCH', paths.schedule(id), { body: { timing } })
    slow.end('"Evenings"}')
    expect(await answered).toBe(200)
    const { name, next } = (await hub.ask('GET', paths.schedule(id))).body as unknown as Schedule
    expect({ name, next }).toEqual({ name: 'Evenings', next: (retimed.body as unknown as Schedule).next })
  })

  it('W96 that have ended stay so when their name is changed', async () => {
    const { hub, made } = await start()
    const { id } = await made()
    const store = await openSqliteStore(`${hub.data}/store.sqlite`)
    await store.db.updateTable('schedules').set({ next_due_at: null }).execute()
    await store.close()
    const named = await hub.ask('PATCH', paths.schedule(id), { body: { name: 'Evenings' } })
    expect(named.body).toMatchObject({ name: 'Evenings', status: 'ended' })
  })

  it('W90 of another user do not exist, whatever is asked of them', async () => {
    const { hub, made } = await start()
    const { id } = await made()
    const token = await stranger(hub)
    const asked = [
      ['GET', paths.schedule(id), undefined],
      ['PATCH', paths.schedule(id), { isPaused: true }],
      ['DELETE', paths.schedule(id), undefined],
      ['POST', paths.scheduleRunNow(id), undefined],
      ['GET', paths.occurrences(id), undefined],
    ] as const
    for (const [method, path, body] of asked) {
      const theirs = await hub.ask(method, path, { token, body })
      expect(theirs.status, `${method} ${path}`).toBe(404)
      const missing = await hub.ask(method, path.replace(id, 'sch_00000000000000'), { token, body })
      expect(missing.body, `${method} ${path}`).toEqual(theirs.body)
    }
    expect((await hub.ask('GET', paths.schedules(), { token })).body).toEqual({ items: [], next: null })
    expect((await hub.ask('GET', paths.schedule(id))).body).toMatchObject({ status: 'active' })
  })

  it('W90 in a project of another user are refused as if it did not exist', async () => {
    const { hub, asked } = await start()
    const answer = await hub.ask('POST', paths.schedules(), { body: asked(), token: await stranger(hub) })
    expect(answer).toMatchObject({ status: 404, body: { error: { code: 'project.unknown' } } })
  })

  it.each([
    ['an unknown zone', { timing: { ...daily, zone: 'Mars/Olympus' } }, 'timing.zone'],
    ['a date that never comes', { timing: { ...daily, cron: '0 0 30 2 *' } }, 'timing.cron'],
    ['seconds in cron', { timing: { ...daily, cron: '* * * * * *' } }, 'timing.cron'],
    [
      'a cron of many kilobytes',
      { timing: { ...daily, cron: `${'1,'.repeat(9000)}1 * * * *` } },
      'timing.cron',
    ],
    ['an interval of less than a minute', { timing: { kind: 'every', seconds: 59 } }, 'timing.seconds'],
    ['a time that is past', { timing: { kind: 'once', at: '2020-01-01T09:00', zone: 'UTC' } }, 'timing.at'],
    [
      'a first time in the year 10000',
      { timing: { kind: 'every', seconds: 60, from: '9999-12-31T23:59:59-12:00' } },
      'timing.from',
    ],
    [
      'a single time in the year 2201',
      { timing: { kind: 'once', at: '2201-01-01T00:00', zone: 'UTC' } },
      'timing.at',
    ],
    ['an end in the year 2201', { until: '2201-01-01T00:00:00Z' }, 'until'],
    ['a name of two lines', { name: 'a\nb' }, 'name'],
    ['a prompt that is too long', { run: { prompt: 'x'.repeat(20_001) } }, 'run.prompt'],
    ['a run without a sandbox', { run: { prompt: 'x', sandbox: 'none' } }, 'run.sandbox'],
    ['a callback into a private network', { callback: { url: 'http://127.0.0.1:9/' } }, 'callback.url'],
    ['a callback that is no web address', { callback: { url: 'file:///etc/passwd' } }, 'callback.url'],
  ])('W99 with %s are refused, and the field is named', async (_, said, field) => {
    const { hub, make } = await start()
    expect(await make(said)).toMatchObject({
      status: 400,
      body: { error: { code: 'request.malformed', field } },
    })
    expect((await hub.ask('GET', paths.schedules())).body.items).toEqual([])
  })

  it('W95 that name a secret which does not exist are refused, and later fail with that reason', async () => {
    const { hub, project, make, made, ledger } = await start()
    const run = { prompt: 'water', terms: { secrets: ['KEY'] } }
    expect((await make({ run })).body).toMatchObject({ error: { code: 'secret.unknown' } })
    await hub.ask('PUT', paths.secret(project.id, 'KEY'), { body: { value: 'a value that is long' } })
    const schedule = await made({ run })
    await hub.ask('DELETE', paths.secret(project.id, 'KEY'))
    await hub.ask('POST', paths.scheduleRunNow(schedule.id))
    await expect
      .poll(() => ledger(schedule), soon)
      .toMatchObject([{ state: 'failed', run: null, reason: expect.stringContaining('KEY') }])
  })

  it('W97 call their callback when no run could be started, signed, and never show its secret', async () => {
    const { url, calls } = await receiver()
    const { hub, project, made } = await start({ allowPrivateCalls: true })
    await hub.ask('PUT', paths.secret(project.id, 'KEY'), { body: { value: 'a value that is long' } })
    const run = { prompt: 'water', terms: { secrets: ['KEY'] } }
    const schedule = await made({ run, callback: { url, secret: 'between us' }, pauseAfter: 1 })
    expect(schedule.callback).toEqual({ url, events: ['done', 'error'], hasSecret: true })
    await hub.ask('DELETE', paths.secret(project.id, 'KEY'))
    const now = (await hub.ask('POST', paths.scheduleRunNow(schedule.id))).body as unknown as Occurrence
    await expect.poll(() => calls.length, soon).toBe(1)
    expect(calls[0]).toMatchObject({
      body: { event: 'error', schedule: schedule.id, occurrence: now.id, state: 'failed', isPaused: true },
      signature: expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
    })
    const shown = await hub.ask('GET', paths.schedule(schedule.id))
    expect(shown.body).toMatchObject({ status: 'paused', reason: 'Its last run failed.' })
    expect(JSON.stringify(shown.body)).not.toContain('between us')
    const url2 = { callback: { url, events: ['error'] } }
    const kept = await hub.ask('PATCH', paths.schedule(schedule.id), { body: url2 })
    expect(kept.body).toMatchObject({ callback: { events: ['error'], hasSecret: true } })
  })

  it('W95 start nothing for a user whose tokens were all revoked, also if they were made before', async () => {
    const { hub, made } = await start()
    const token = await stranger(hub)
    const project = (await hub.ask('POST', paths.projects(), { body: { name: 'Theirs' }, token })).body.id
    const from = new Date(Date.now() - 3_600_000).toISOString()
    const timing = { kind: 'every', seconds: 86_400, from }
    const body = { project, name: 'Theirs', timing, run: { prompt: 'x' } }
    expect((await hub.ask('POST', paths.schedules(), { body, token })).status).toBe(201)
    const store = await openSqliteStore(`${hub.data}/store.sqlite`)
    onTestFinished(() => store.close())
    await revokeTokens(store.db, 'stranger', new Date())
    await store.db.updateTable('schedules').set({ next_due_at: from }).execute()
    // Another schedule: the hub looks at what is due.
    await made()
    const lines = () => store.db.selectFrom('occurrences').select(['state', 'reason', 'run_id']).execute()
    const reason = 'Its user may not use this hub any more.'
    await expect.poll(lines, soon).toEqual([{ state: 'failed', reason, run_id: null }])
    expect(await store.db.selectFrom('runs').select('id').execute()).toEqual([])
  })

  it('W97 notify the browsers of their user of what was not started, once', async () => {
    const service = await FakePush.start()
    onTestFinished(() => service.close())
    const { hub, project, made, ledger } = await start({ allowPrivateCalls: true })
    await hub.ask('POST', paths.pushSubscriptions(), { body: service.subscribe() })
    await hub.ask('PUT', paths.secret(project.id, 'KEY'), { body: { value: 'a value that is long' } })
    const schedule = await made({ run: { prompt: 'water', terms: { secrets: ['KEY'] } }, pauseAfter: 2 })
    await hub.ask('DELETE', paths.secret(project.id, 'KEY'))
    const said = { schedule: schedule.id, title: 'Water it', projectName: 'Garden' }
    await hub.ask('POST', paths.scheduleRunNow(schedule.id))
    expect((await service.next()).said).toEqual({ kind: 'schedule-missed', ...said })
    await hub.ask('POST', paths.scheduleRunNow(schedule.id))
    expect((await service.next()).said).toEqual({ kind: 'schedule-paused', ...said })
    expect(await ledger(schedule)).toMatchObject([{ state: 'failed' }, { state: 'failed' }])
  })

  it('W97 pass their callback on to the runs that they start', async () => {
    const { url, calls } = await receiver()
    const { hub, made, ledger } = await start({ allowPrivateCalls: true })
    const schedule = await made({ callback: { url } })
    await hub.ask('POST', paths.scheduleRunNow(schedule.id))
    await expect.poll(() => ledger(schedule), soon).toMatchObject([{ state: 'started' }])
    const [of] = await ledger(schedule)
    const at = { project: schedule.project, task: schedule.task, run: of!.run! }
    await expect.poll(async () => (await hub.ask('GET', paths.log(at))).body, soon).toContain('"water"')
    const { token } = await hub.runner(at)
    for (const [method, params] of [
      ['_posthog/ack', { for: '_posthog/user_message', id: 2 }],
      ['_posthog/turn_complete', { messageId: 2, stopReason: 'end_turn' }],
    ] as const)
      await hub.post(at, notification(method, params), { token })
    await expect
      .poll(() => calls.map(({ body }) => [body.event, body.run]), soon)
      .toEqual([['done', of!.run]])
  })

  it('W99 are 100 a user, and 20 occurrences of one may wait', async () => {
    const { hub, make, made } = await start()
    const schedule = await made({ overlap: 'queue' })
    for (let n = 1; n < 100; n++) expect((await make({ name: `n${n}` })).status).toBe(201)
    expect(await make()).toMatchObject({ status: 409, body: { error: { code: 'schedule.too-many' } } })
    const again = () => hub.ask('POST', paths.scheduleRunNow(schedule.id))
    let last = await again()
    for (let n = 0; n < 30 && last.status === 201; n++) last = await again()
    expect(last.body).toMatchObject({ error: { code: 'schedule.too-many' } })
    const page = (await hub.ask('GET', paths.schedules())).body as unknown as {
      items: Schedule[]
      next: string
    }
    expect(page.items).toHaveLength(50)
    const rest = await hub.ask('GET', `${paths.schedules()}?cursor=${page.next}`)
    expect(rest.body).toMatchObject({ items: { length: 50 }, next: null })
  })
})
