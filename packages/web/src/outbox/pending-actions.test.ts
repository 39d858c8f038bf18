import { post } from '@farhand/client/post/post'
import { beginRunner, closeRun } from '@farhand/client/resources/resources'
import { describe, expect, it, vi } from 'vitest'
import type { LiveRunState } from '../live/live-run.ts'
import {
  browser,
  event,
  hub,
  isLive,
  newRun,
  saidIn,
  say,
  server,
  texts,
  until,
  withHub,
} from '../live/live-run-under-test.ts'
import type { Outbox } from './outbox.ts'

const soon = { timeout: 60_000 }

withHub()

describe('the pending actions of a run', () => {
  it('keep a message that is written while the hub is away, and send it once when the hub is back', async () => {
    const at = await newRun()
    const tabs = browser()
    const run = tabs.page(at)
    await until(run, isLive)
    await server.kill('SIGKILL')
    run.now().actions.act(say('one'))
    run.now().actions.act(say('two'))
    const { actions } = await until(
      run,
      (now) =>
        now.connection.is === 'retrying' && now.actions.unsent.some(({ state }) => state === 'waiting'),
    )
    expect(actions.unsent.map(({ action }) => action)).toMatchObject([{ text: 'one' }, { text: 'two' }])
    // The page is closed and another one opened before there is a hub again.
    await run.stop()
    const next = tabs.page(at)
    await server.spawn()
    tabs.wake()
    await until(next, (now) => texts(now).join() === 'one,two' && now.actions.unsent.length === 0)
    expect(await saidIn(at)).toEqual(['one', 'two'])
  })

  it('do not lose a message that is written before the run’s address is known', async () => {
    const at = await newRun()
    const run = browser().page(at)
    run.now().actions.act(say('at once'))
    await until(run, (now) => texts(now).includes('at once'))
    expect(await saidIn(at)).toEqual(['at once'])
  })

  it('keep a message from before that, show that it waits, and have the next page send it', async () => {
    const at = await newRun()
    const tabs = browser()
    const away = tabs.page(at, { hub: { url: 'http://127.0.0.1:9', token: 'x' } })
    away.now().actions.act(say('on the train'))
    const { about, actions } = await until(away, (now) => now.actions.unsent.length > 0)
    expect({ about, unsent: actions.unsent }).toMatchObject({ about: null, unsent: [{ state: 'waiting' }] })
    await vi.waitFor(async () => expect(await tabs.outbox.list(at.run)).toHaveLength(1), soon)
    await away.stop()
    await until(
      tabs.page(at),
      (now) => texts(now).includes('on the train') && now.actions.unsent.length === 0,
    )
    expect(await saidIn(at)).toEqual(['on the train'])
  })

  it('are sent though the browser has deleted its database meanwhile', async () => {
    const at = await newRun()
    const tabs = browser()
    let isAway = false
    const cut: typeof fetch = (input, init) => (isAway ? Promise.reject(new TypeError()) : fetch(input, init))
    const outbox: Outbox = {
      ...tabs.outbox,
      list: (run) => (isAway ? Promise.reject(new Error('gone')) : tabs.outbox.list(run)),
    }
    const run = tabs.page(at, { hub: { ...hub, fetch: cut }, outbox })
    await until(run, isLive)
    isAway = true
    run.now().actions.act(say('still here'))
    await until(run, ({ actions }) => actions.unsent[0]?.state === 'waiting')
    const list = outbox.list
    outbox.list = () => Promise.reject(new Error('gone'))
    isAway = false
    tabs.wake()
    await until(run, (now) => texts(now).includes('still here') && now.actions.unsent.length === 0)
    outbox.list = list
    expect(await saidIn(at)).toEqual(['still here'])
  })

  it('are sent once if the hub refuses or takes them, though the browser can store neither result', async () => {
    const at = await newRun()
    await closeRun(hub, at)
    const tabs = browser()
    let isFull = false
    let posts = 0
    const full = () => Promise.reject(new Error('QuotaExceededError'))
    const counted: typeof fetch = (input, init) => {
      isFull = true
      if (init?.method === 'POST') posts += 1
      return fetch(input, init)
    }
    const outbox: Outbox = {
      ...tabs.outbox,
      put: (action) => (isFull && action.refused ? full() : tabs.outbox.put(action)),
      remove: full,
    }
    const run = tabs.page(at, { hub: { ...hub, fetch: counted }, outbox })
    run.now().actions.act(say('too late'))
    await until(run, ({ actions }) => actions.unsent[0]?.state === 'refused')
    run.now().actions.act({ do: 'open' })
    await until(run, isLive)
    run.now().actions.act(say('in time'))
    const { actions } = await until(
      run,
      (now) => texts(now).includes('in time') && now.actions.unsent.length === 1,
    )
    expect(actions.unsent[0]?.action).toMatchObject({ text: 'too late' })
    expect(posts).toBe(3)
  })

  it('are shown once if they are in the cached log and also still stored as pending', async () => {
    const at = await newRun()
    const tabs = browser()
    const by = { kind: 'web' as const, id: 'usr_someone0' }
    const notification = event('_posthog/user_message', { content: 'once' })
    const timestamp = '2020-01-01T00:00:00.000Z'
    const key = { key: 'k', body: 'b' }
    await tabs.cache.add(at.run, [{ id: 1, type: 'notification', timestamp, notification, by, key }])
    const action = say('once')
    await tabs.outbox.put({ key: 'k', at, writtenAt: timestamp, action, turns: [], refused: null })
    const run = tabs.page(at, { hub: { url: 'http://127.0.0.1:9', token: 'x' } })
    const { actions } = await until(run, (now) => texts(now).includes('once'))
    expect(actions.unsent).toEqual([])
    await vi.waitFor(async () => expect(await tabs.outbox.list(at.run)).toEqual([]), soon)
  })

  it('never call an old message unsent that the hub has, and it holds up none that was written after it', async () => {
    const at = await newRun()
    const tabs = browser()
    const writtenAt = '2020-01-01T00:00:00.000Z'
    const [had, lost, fresh] = ['had', 'lost', 'fresh'].map((text) => ({
      key: text,
      at,
      writtenAt: text === 'fresh' ? new Date().toISOString() : writtenAt,
      action: say(text),
      turns: [],
      refused: null,
    }))
    await post(hub, at, event('_posthog/user_message', { content: 'had' }), { key: 'had' })
    for (const pending of [had!, lost!, fresh!]) await tabs.outbox.put(pending)
    // The connection over which the log is read comes late; a message needs none.
    let connect = () => {}
    const connected = new Promise<void>((resolve) => {
      connect = resolve
    })
    const late: typeof fetch = async (input, init) => {
      const isStream = String(new Headers(init?.headers).get('accept')).includes('event-stream')
      if (isStream) await connected
      return fetch(input, init)
    }
    const run = tabs.page(at, { hub: { ...hub, fetch: late } })
    const stale = new Set<string>()
    run.subscribe(() => {
      for (const { key, state } of run.now().actions.unsent) if (state === 'stale') stale.add(key)
    })
    await vi.waitFor(async () => expect(await saidIn(at)).toEqual(['had', 'fresh']), 60_000)
    expect([...stale]).toEqual([])
    connect()
    await until(run, ({ actions }) => actions.unsent.length === 1 && actions.unsent[0]?.state === 'stale')
    expect([...stale]).toEqual(['lost'])
    run.now().actions.resend('lost')
    await until(run, (now) => now.actions.unsent.length === 0)
    expect(await saidIn(at)).toEqual(['had', 'fresh', 'lost'])
  })

  it('drop an answer that was refused, once its question has ended', async () => {
    const at = await newRun()
    const tabs = browser()
    const action = { do: 'answer', questionId: 'qst_over0001', answer: 'yes' } as const
    const writtenAt = '2020-01-01T00:00:00.000Z'
    await tabs.outbox.put({ key: 'k', at, writtenAt, action, turns: [], refused: 'not that' })
    await until(tabs.page(at), (now) => isLive(now) && now.actions.unsent.length === 0)
    await vi.waitFor(async () => expect(await tabs.outbox.runs()).toEqual([]), soon)
  })

  it('of two pages of one browser are each sent once', async () => {
    const at = await newRun()
    const tabs = browser()
    const [one, two] = [tabs.page(at), tabs.page(at)]
    await Promise.all([until(one, isLive), until(two, isLive)])
    one.now().actions.act(say('a'))
    two.now().actions.act(say('b'))
    one.now().actions.act(say('c'))
    const all = (now: LiveRunState) => texts(now).length === 3 && now.actions.unsent.length === 0
    await Promise.all([until(one, all), until(two, all)])
    expect((await saidIn(at)).toSorted()).toEqual(['a', 'b', 'c'])
  })

  it('report a refusal of the hub, let others pass, and try again when asked to', async () => {
    const at = await newRun()
    const run = browser().page(at)
    await closeRun(hub, at)
    await until(run, ({ connection }) => connection.is === 'ended')
    run.now().actions.act(say('too late'))
    const { actions } = await until(run, (now) => now.actions.unsent[0]?.state === 'refused')
    expect(actions.unsent[0]?.why).toBe('The run is closed. Reopen it first.')
    actions.act({ do: 'open' })
    await until(run, (now) => isLive(now) && now.story.view.status === 'queued')
    run.now().actions.resend(actions.unsent[0]!.key)
    await until(run, (now) => texts(now).includes('too late') && now.actions.unsent.length === 0)
  })

  it('take a waiting message back and send it into the turn, both in one step', async () => {
    const at = await newRun()
    const run = browser().page(at)
    await until(run, isLive)
    run.now().actions.act(say('later'))
    await until(run, (now) => texts(now).includes('later'))
    run.now().actions.act({ do: 'steer', messageId: 1, text: 'now', attachments: [] })
    const { story } = await until(run, (now) => texts(now).includes('now') && now.actions.unsent.length === 0)
    expect(story.queue).toMatchObject([{ id: 3, text: 'now', isSteering: true }])
    expect(story.items).toMatchObject([{ text: 'later', state: 'withdrawn' }, { text: 'now' }])
  })

  it('repeat no message that the agent has begun with while it was on its way', async () => {
    const at = await newRun()
    const { token } = await beginRunner(hub, at)
    let onTheWay = async () => {}
    const late: typeof fetch = async (url, init) => {
      if (init?.method === 'POST') await onTheWay()
      return fetch(url, init)
    }
    const run = browser().page(at, { hub: { ...hub, fetch: late } })
    await until(run, isLive)
    run.now().actions.act(say('soon'))
    const { story } = await until(
      run,
      (now) => texts(now).includes('soon') && now.actions.unsent.length === 0,
    )
    const messageId = story.queue[0]!.id
    onTheWay = async () => {
      onTheWay = async () => {}
      const ack = event('_posthog/ack', { for: 'user_message', id: messageId })
      await post({ url: hub.url, token }, at, ack)
    }
    const steered = () =>
      new Promise((resolve) =>
        run.now().actions.act({ do: 'steer', messageId, text: 'soon', attachments: [] }, resolve),
      )
    expect(await steered()).toEqual({ is: 'needless' })
    await until(run, (now) => now.story.view.openTurns.length === 1)
    // Nor what is known by then to have begun: that is not even sent.
    expect(await steered()).toEqual({ is: 'needless' })
    expect(run.now().actions.unsent).toEqual([])
    expect(await saidIn(at)).toEqual(['soon'])
  })

  it('upload a file before an event names it', async () => {
    const at = await newRun()
    const run = browser().page(at)
    const { actions } = await until(run, isLive)
    const progress: number[] = []
    const signal = new AbortController().signal
    const file = new File(['some notes'], 'notes.txt', { type: 'text/plain' })
    const attachment = await actions.attach(file, { signal, onProgress: (part) => progress.push(part) })
    run.now().actions.act({ do: 'say', text: 'read it', attachments: [attachment], when: 'queue' })
    const { story } = await until(run, (now) => texts(now).includes('read it'))
    expect(story.queue[0]?.attachments).toMatchObject([
      { name: 'notes.txt', mimeType: 'text/plain', size: 10 },
    ])
    expect(progress.at(-1)).toBe(1)
  })
})
