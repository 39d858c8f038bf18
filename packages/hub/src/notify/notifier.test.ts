import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunNotification } from '@farhand/protocol/schemas/push'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import { FakePush } from '@farhand/testkit/fake-push'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { revokeTokens } from '../access/tokens.ts'
import { HubUnderTest, message, notification } from '../http/hub-under-test.ts'
import { openFileEventLog } from '../log/file-event-log.ts'
import { notifiedOf } from '../store/notified.ts'
import { pushSubscriptionsOf } from '../store/push-subscriptions.ts'
import { openSqliteStore } from '../store/sqlite-store.ts'
import { Notifier } from './notifier.ts'
import { RunViewers } from './run-viewers.ts'

async function withService(settings = {}) {
  const service = await FakePush.start()
  onTestFinished(() => service.close())
  const hub = await HubUnderTest.start({ allowPrivateCalls: true, ...settings })
  return { service, hub }
}

const subscribe = (hub: HubUnderTest, body: unknown) => hub.ask('POST', paths.pushSubscriptions(), { body })

const question = (n: number) =>
  notification('_posthog/agent_question', { questionId: `qst_0000000${n}`, question: 'the secret plan?' })

/** A run whose runner speaks by `say`, with a turn for its first message under way. */
async function atWork(hub: HubUnderTest) {
  const at: RunAddress = await hub.run()
  const { token } = await hub.runner(at)
  const say = (method: string, params: Record<string, unknown>) =>
    hub.post(at, notification(method, params), { token })
  await hub.post(at, message('hello'))
  await say('_posthog/ack', { for: '_posthog/user_message', id: 2 })
  const ask = (n: number) => hub.post(at, question(n), { token })
  const finish = (stopReason: string) => say('_posthog/turn_complete', { messageId: 2, stopReason })
  return { at, token, ask, finish }
}

/** From here on its clock goes on only when the test says so: a slow machine is not late for anything. */
function holdTime(...more: ('Date' | 'performance')[]): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', ...more] })
  onTestFinished(() => void vi.useRealTimers())
}
const gatherMs = 250
const returnMs = 3000

const rowsOf = async (hub: HubUnderTest) => {
  const { db, close } = await openSqliteStore(join(hub.data, 'store.sqlite'))
  const rows = await db.selectFrom('push_subscriptions').select('id').execute()
  await close()
  return rows
}

describe('notifications by web push', () => {
  it('W49 a question is notified once, without its text', async () => {
    const { service, hub } = await withService()
    expect((await subscribe(hub, service.subscribe())).status).toBe(201)
    const { at, ask, finish } = await atWork(hub)
    await ask(1)
    const first = await service.next()
    expect(first).toMatchObject({
      status: 201,
      said: { kind: 'needs-you', run: at.run, title: 't', projectName: 'p', eventId: 4 },
      headers: { 'content-encoding': 'aes128gcm', urgency: 'high' },
    })
    expect(JSON.stringify(first.said)).not.toContain('secret plan')
    await hub.post(at, notification('_posthog/user_response', { questionId: 'qst_00000001', answer: 'yes' }))
    await finish('end_turn')
    expect((await service.next()).said).toMatchObject({ kind: 'done', run: at.run })
  })

  it('W49 a user who looks at a run, or has muted it, is not notified of it, but of other runs', async () => {
    const { service, hub } = await withService()
    await subscribe(hub, service.subscribe())
    const [looked, muted, other] = [await atWork(hub), await atWork(hub), await atWork(hub)]
    const looking = { isLooking: true, client: 'tab1' }
    await hub.ask('PUT', paths.runLooking(looked.at.run), { body: looking })
    await hub.ask('PUT', paths.runMuted(muted.at.run), { body: { isMuted: true } })
    await looked.ask(1)
    await muted.ask(1)
    await other.finish('failed')
    expect((await service.next()).said).toMatchObject({ kind: 'failed', run: other.at.run })
    await hub.ask('PUT', paths.runLooking(looked.at.run), { body: { ...looking, isLooking: false } })
    await looked.ask(2)
    expect((await service.next()).said).toMatchObject({ kind: 'needs-you', run: looked.at.run, eventId: 5 })
  })

  it('W49 a browser that is gone is forgotten, and one whose session has ended gets no notification', async () => {
    const { service, hub } = await withService()
    await subscribe(hub, service.subscribe())
    const { ask } = await atWork(hub)
    service.statuses.push(410)
    await ask(1)
    await service.next()
    await expect.poll(() => rowsOf(hub), { timeout: 60_000 }).toEqual([])
    const again = service.subscribe()
    const { id } = (await subscribe(hub, again)).body as unknown as { id: string }
    expect(await rowsOf(hub)).toEqual([{ id }])
    expect((await subscribe(hub, again)).body).toEqual({ id })
    expect((await hub.ask('DELETE', paths.pushSubscription(id))).status).toBe(200)
    expect(await rowsOf(hub)).toEqual([])
    await subscribe(hub, service.subscribe())
    const store = await openSqliteStore(join(hub.data, 'store.sqlite'))
    onTestFinished(() => store.close())
    const { user_id } = await store.db
      .selectFrom('push_subscriptions')
      .select('user_id')
      .executeTakeFirstOrThrow()
    expect(await pushSubscriptionsOf(store.db, user_id)).toHaveLength(1)
    const { name } = await store.db.selectFrom('users').select('name').executeTakeFirstOrThrow()
    await revokeTokens(store.db, name, new Date())
    expect(await pushSubscriptionsOf(store.db, user_id)).toEqual([])
  })

  it('W49 the next hub repeats no notification, and has the same key, which no other user can read', async () => {
    const { service, hub } = await withService()
    await subscribe(hub, service.subscribe())
    const { at, ask } = await atWork(hub)
    await ask(1)
    await service.next()
    const key = (await hub.ask('GET', paths.pushKey())).body
    await hub.hub.stop()
    const next = await HubUnderTest.on(hub.data, { allowPrivateCalls: true }, hub.token)
    expect((await next.ask('GET', paths.pushKey())).body).toEqual(key)
    expect((await stat(join(hub.data, 'push-keys.json'))).mode & 0o777).toBe(0o600)
    await next.post(at, message('one more thing'))
    const other = await atWork(next)
    await other.ask(1)
    expect((await service.next()).said).toMatchObject({ run: other.at.run })
  })

  it('W49 what a push service did not take is tried once more before the hub stops', async () => {
    const { service, hub } = await withService()
    await subscribe(hub, service.subscribe())
    const { at, ask } = await atWork(hub)
    service.statuses.push(503)
    await ask(1)
    expect((await service.next()).status).toBe(503)
    await hub.hub.stop()
    expect(await service.next()).toMatchObject({ status: 201, said: { run: at.run } })
  })

  it('W49 the next hub sends what the hub before it could not send, but not to a user who looks at the run by then', async () => {
    const { service, hub } = await withService()
    await subscribe(hub, service.subscribe())
    holdTime()
    const [looked, other] = [await atWork(hub), await atWork(hub)]
    await Promise.all([looked.ask(1), other.finish('failed')])
    // Before it has gathered what there is to tell.
    await hub.hub.stop()
    const next = await HubUnderTest.on(hub.data, { allowPrivateCalls: true }, hub.token)
    await next.ask('PUT', paths.runLooking(looked.at.run), { body: { isLooking: true, client: 'tab1' } })
    await vi.advanceTimersByTimeAsync(returnMs)
    expect((await service.next()).said).toMatchObject({ kind: 'failed', run: other.at.run })
    await next.ask('PUT', paths.runLooking(looked.at.run), { body: { isLooking: false, client: 'tab1' } })
    await next.post(looked.at, question(2), { token: looked.token })
    await vi.advanceTimersByTimeAsync(gatherMs)
    expect((await service.next()).said).toMatchObject({ kind: 'needs-you', run: looked.at.run, eventId: 5 })
  })

  it('W49 a user who looked and then sent nothing is notified after all; one who left or saw the end is not', async () => {
    const hub = await HubUnderTest.start()
    const [gone, left, there, other] = [
      await atWork(hub),
      await atWork(hub),
      await atWork(hub),
      await atWork(hub),
    ]
    await hub.hub.stop()
    const store = await openSqliteStore(join(hub.data, 'store.sqlite'))
    const log = await openFileEventLog({ dir: join(hub.data, 'logs') })
    const believedMs = 2000
    const viewers = new RunViewers(believedMs)
    holdTime('Date', 'performance')
    const tellings: string[] = []
    const tell = async (_: string, { run, kind }: RunNotification) => void tellings.push(`${kind} ${run}`)
    const onError = (error: unknown) => void tellings.push(String(error))
    const notifier = new Notifier({ db: store.db, log, viewers, tell, onError })
    onTestFinished(async () => {
      await notifier.stop()
      await log.close()
      await store.close()
    })
    const { id: user } = await store.db.selectFrom('users').select('id').executeTakeFirstOrThrow()
    const says = (at: RunAddress, isLooking: boolean) =>
      viewers.say(at.run, { user, client: 'tab1', isLooking }, performance.now())
    const add = (at: RunAddress, { method, params }: ReturnType<typeof notification>) =>
      log.append(at.run, () => ({
        notifications: [{ jsonrpc: '2.0', method, params }],
        by: { kind: 'runner', generation: 1 },
      }))
    for (const { at } of [gone, left, there]) says(at, true)
    const end = notification('_posthog/turn_complete', { messageId: 2, stopReason: 'end_turn' })
    await Promise.all([add(gone.at, question(1)), add(left.at, question(1)), add(there.at, end)])
    await add(other.at, end)
    await vi.advanceTimersByTimeAsync(gatherMs)
    await expect.poll(() => tellings, { timeout: 60_000 }).toEqual([`done ${other.at.run}`])
    says(left.at, false)
    says(there.at, true)
    // No matter how long they sat there before they went: an unanswered question is news to them.
    vi.setSystemTime(Date.now() + 3600_000)
    await vi.advanceTimersByTimeAsync(believedMs)
    await expect
      .poll(() => tellings, { timeout: 60_000 })
      .toEqual([`done ${other.at.run}`, `needs-you ${gone.at.run}`])
    expect(await notifiedOf(store.db, left.at.run)).toMatchObject({ question: 4 })
    expect(await notifiedOf(store.db, there.at.run)).toMatchObject({ turns: 1 })
  })

  it('W49 only public addresses are accepted, with https and well-formed keys', async () => {
    const hub = await HubUnderTest.start()
    const service = await FakePush.start()
    onTestFinished(() => service.close())
    const { keys, endpoint } = service.subscribe()
    const places = ['http://push.example/1', 'https://127.0.0.1/1', 'https://[::1]/1', 'https://localhost/1']
    for (const wrong of [endpoint, ...places, 'https://me:pass@push.example/1', 'https://10.0.0.8/1'])
      expect(await subscribe(hub, { endpoint: wrong, keys }), wrong).toMatchObject({
        status: 400,
        body: { error: { field: 'endpoint' } },
      })
    const fine = 'https://push.example/1'
    const short = { ...keys, p256dh: 'AAAA' }
    expect(await subscribe(hub, { endpoint: fine, keys: short })).toMatchObject({ status: 400 })
    expect((await subscribe(hub, { endpoint: fine, keys })).status).toBe(201)
  })
})
