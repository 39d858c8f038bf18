import { post } from '@farhand/client/post/post'
import { Producer } from '@farhand/client/post/producer'
import { beginRunner } from '@farhand/client/resources/resources'
import { newId, RunId } from '@farhand/protocol/wire/ids'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { LiveRunState } from './live-run.ts'
import {
  browser,
  event,
  hub,
  isLive,
  newRun,
  saidIn,
  say,
  texts,
  until,
  withHub,
} from './live-run-under-test.ts'

const soon = { timeout: 60_000 }

withHub()

describe('a run that is kept live', () => {
  it('shows actions from here and elsewhere, and none as unsent that the log has', async () => {
    const at = await newRun()
    const run = browser().page(at)
    await until(run, isLive)
    run.now().actions.act(say('from here'))
    await until(run, (now) => texts(now).includes('from here') && now.actions.unsent.length === 0)
    const { token, generation } = await beginRunner(hub, at)
    const over = new AbortController()
    onTestFinished(() => over.abort())
    const { signal } = over
    const producer = new Producer({ ...hub, token }, at, { id: 'runner', epoch: generation, signal })
    await producer.send(event('_posthog/ack', { for: '_posthog/user_message', id: 1 }))
    await producer.send(event('agent_message_chunk', { text: 'Hello.' }))
    const { story } = await until(run, (now) => now.story.lastId >= 4)
    expect(story.items.map(({ kind }) => kind)).toEqual(['message', 'words'])
  })

  it('keeps addresses of the computer on which it was started, also when it was never moved there', async () => {
    const at = await newRun()
    const { token } = await beginRunner(hub, at)
    const message = 'No model answers at http://localhost:11434/v1: it is not started'
    await post({ ...hub, token }, at, event('_posthog/error', { message }))
    const { cache, page } = browser()
    const isTold = ({ story }: LiveRunState) => story.items.some((item) => item.kind === 'notice')
    const noticeOf = ({ story }: LiveRunState) => story.items.find((item) => item.kind === 'notice')?.text
    const first = page(at)
    expect(noticeOf(await until(first, isTold))).toBe(message)
    // As it is remembered, too.
    await expect.poll(async () => (await cache.read(at.run)).length, soon).toBeGreaterThan(0)
    const away = { ...hub, fetch: () => Promise.reject(new TypeError('away')) }
    expect(noticeOf(await until(page(at, { hub: away }), isTold))).toBe(message)
  })

  it('has a connection only while it has listeners, and sends actions all the same', async () => {
    const at = await newRun()
    let streams = 0
    const fetch = Object.assign(async (asked: string, init?: RequestInit) => {
      const isStream = new Headers(init?.headers).get('accept') === 'text/event-stream'
      if (isStream) {
        streams += 1
        init?.signal?.addEventListener('abort', () => (streams -= 1), { once: true })
      }
      return await globalThis.fetch(asked, init)
    }) as typeof globalThis.fetch
    const run = browser().page(at, { hub: { ...hub, fetch } })
    run.now().actions.act(say('unheard'))
    await expect.poll(() => saidIn(at), soon).toEqual(['unheard'])
    expect(streams).toBe(0)
    await until(run, (now) => texts(now).includes('unheard') && now.actions.unsent.length === 0)
    expect(streams).toBe(1)
    await expect.poll(() => [streams, run.now().connection.is], soon).toEqual([0, 'connecting'])
    await until(run, isLive)
    expect(streams).toBe(1)
  })

  it('comes back from an hour of sleep with a new connection and without an error', async () => {
    const at = await newRun()
    const tabs = browser()
    let streams = 0
    const counted: typeof fetch = (input, init) => {
      if (String(input).includes('/sync?')) streams += 1
      return fetch(input, init)
    }
    const run = tabs.page(at, { hub: { ...hub, fetch: counted } })
    await until(run, isLive)
    const states: string[] = []
    run.subscribe(() => states.push(run.now().connection.is))
    tabs.wake(3600_000)
    await post(hub, at, event('_posthog/user_message', { content: 'while you slept' }))
    await until(run, (now) => isLive(now) && texts(now).includes('while you slept'))
    expect(streams).toBe(2)
    expect(states).not.toContain('retrying')
    expect(states).not.toContain('refused')
  })

  it('is loaded from the browser’s cache, also without a hub', async () => {
    const at = await newRun()
    await post(hub, at, event('_posthog/user_message', { content: 'remember' }))
    const tabs = browser()
    const run = tabs.page(at)
    await until(run, (now) => texts(now).includes('remember'))
    await run.stop()
    await until(tabs.page(at, { hub: { url: 'http://127.0.0.1:9', token: 'x' } }), (now) =>
      texts(now).includes('remember'),
    )
  })

  it('believes the hub and not the cache if the two differ', async () => {
    const at = await newRun()
    await post(hub, at, event('_posthog/user_message', { content: 'true' }))
    const tabs = browser()
    const notification = event('_posthog/user_message', { content: 'of another log' })
    const by = { kind: 'web' as const, id: 'usr_someone0' }
    const timestamp = '2020-01-01T00:00:00.000Z'
    await tabs.cache.add(at.run, [{ id: 1, type: 'notification', timestamp, notification, by }])
    const run = tabs.page(at)
    expect(texts(await until(run, isLive))).toEqual(['true'])
    expect(await tabs.cache.read(at.run)).not.toMatchObject([{ timestamp }])
  })

  it('gives all events to a late listener', async () => {
    const at = await newRun()
    await post(hub, at, event('_posthog/user_message', { content: 'early' }))
    const run = browser().page(at)
    await until(run, (now) => isLive(now) && now.story.lastId === 1)
    const heard: number[] = []
    run.listen((events) => heard.push(...events.map(({ id }) => id)))
    run.now().actions.act(say('late'))
    await until(run, (now) => now.story.lastId === 2)
    expect(heard).toEqual([1, 2])
  })

  it('says so if there is no such run', async () => {
    const run = browser().page({ ...(await newRun()), run: newId(RunId, 'run') })
    const { connection } = await until(run, (now) => now.connection.is === 'refused')
    expect(connection).toMatchObject({ why: 'unknown' })
  })
})
