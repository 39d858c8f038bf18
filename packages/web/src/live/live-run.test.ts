import { rm } from 'node:fs/promises'
import type { Hub } from '@farhand/client/hub'
import { post } from '@farhand/client/post'
import { Producer } from '@farhand/client/producer'
import { readLog } from '@farhand/client/read-log'
import {
  addressOf,
  beginRunner,
  closeRun,
  createProject,
  createRun,
  createTask,
} from '@farhand/client/resources'
import type { Notification } from '@farhand/protocol/event'
import { newId, RunId } from '@farhand/protocol/ids'
import type { RunAddress } from '@farhand/protocol/routes'
import { HubProcess } from '@farhand/testkit/hub-process'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type DeedBox, memoryDeedBox } from './deed-box.ts'
import { LiveRun, type RunNow } from './live-run.ts'
import { memoryRunCache } from './memory-run-cache.ts'
import type { RunCache } from './run-cache.ts'

let server: HubProcess
let hub: Hub
let project: Awaited<ReturnType<typeof createProject>>
beforeAll(async () => {
  server = await HubProcess.start()
  hub = { url: server.url, token: server.token }
  project = await createProject(hub, { name: 'live' })
})
afterAll(async () => {
  await server.kill()
  await rm(server.data, { recursive: true, force: true })
})

const open: LiveRun[] = []
afterEach(async () => {
  for (const run of open.splice(0)) await run.stop()
})

/** The tabs of one browser: they share what is kept, and take turns. */
function browser() {
  const rings = new Set<(awayMs: number) => void>()
  const queues = new Map<string, Promise<void>>()
  const cache = memoryRunCache()
  const box = memoryDeedBox()
  return {
    cache,
    box,
    wake: (awayMs = 3600_000) => {
      for (const ring of [...rings]) ring(awayMs)
    },
    page: (at: RunAddress, more: { hub?: Hub; cache?: RunCache; box?: DeedBox } = {}) => {
      const run = new LiveRun({
        hub,
        run: at.run,
        cache,
        box,
        wake: {
          onWake(ring) {
            rings.add(ring)
            return () => rings.delete(ring)
          },
        },
        alone: (name, _, work) => {
          const turn = (queues.get(name) ?? Promise.resolve()).then(work)
          queues.set(
            name,
            turn.catch(() => {}),
          )
          return turn
        },
        frame: (draw) => setTimeout(draw),
        ...more,
      })
      open.push(run)
      return run
    },
  }
}

const until = (run: LiveRun, is: (now: RunNow) => boolean) =>
  new Promise<RunNow>((resolve) => {
    const look = () => {
      if (!is(run.now())) return
      ended()
      resolve(run.now())
    }
    const ended = run.subscribe(look)
    look()
  })

async function newRun(): Promise<RunAddress> {
  const task = await createTask(hub, project.id, { title: 'Live' })
  return addressOf(await createRun(hub, project.id, task.id, { sandbox: 'none' }))
}

const say = (text: string) => ({ do: 'say', text, attachments: [], when: 'queue' }) as const
const event = (method: string, params: object): Notification => ({
  jsonrpc: '2.0',
  method,
  params: { ...params },
})
const isLive = ({ connection }: RunNow) => connection.is === 'live'
const texts = ({ story }: RunNow) => story.queue.map(({ text }) => text)

async function saidIn(at: RunAddress): Promise<unknown[]> {
  const said = []
  for await (const { notification } of readLog(hub, at))
    if (notification.method === '_posthog/user_message') said.push(notification.params?.content)
  return said
}

describe('a run that is kept live', () => {
  it('shows what is done here and elsewhere, and nothing as unsent that the log has', async () => {
    const at = await newRun()
    const run = browser().page(at)
    await until(run, isLive)
    run.now().deeds.act(say('from here'))
    await until(run, (now) => texts(now).includes('from here') && now.deeds.unsent.length === 0)
    const { token, generation } = await beginRunner(hub, at)
    const producer = new Producer({ ...hub, token }, at, { id: 'runner', epoch: generation })
    await producer.send(event('_posthog/ack', { for: '_posthog/user_message', id: 1 }))
    await producer.send(event('agent_message_chunk', { text: 'Hello.' }))
    const { story } = await until(run, (now) => now.story.lastId >= 4)
    expect(story.items.map(({ kind }) => kind)).toEqual(['message', 'words'])
  })

  it('has a connection only while somebody listens, and sends what is written all the same', async () => {
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
    run.now().deeds.act(say('unheard'))
    await expect.poll(() => saidIn(at)).toEqual(['unheard'])
    expect(streams).toBe(0)
    await until(run, (now) => texts(now).includes('unheard') && now.deeds.unsent.length === 0)
    expect(streams).toBe(1)
    await expect.poll(() => [streams, run.now().connection.is]).toEqual([0, 'connecting'])
    await until(run, isLive)
    expect(streams).toBe(1)
  })

  it('keeps what is written while the hub is away, and sends it once when it is back', async () => {
    const at = await newRun()
    const tabs = browser()
    const run = tabs.page(at)
    await until(run, isLive)
    await server.kill('SIGKILL')
    run.now().deeds.act(say('one'))
    run.now().deeds.act(say('two'))
    const { deeds } = await until(
      run,
      (now) => now.connection.is === 'retrying' && now.deeds.unsent.some(({ state }) => state === 'waiting'),
    )
    expect(deeds.unsent.map(({ deed }) => deed)).toMatchObject([{ text: 'one' }, { text: 'two' }])
    // The page is closed and another one opened before there is a hub again.
    await run.stop()
    const next = tabs.page(at)
    await server.spawn()
    tabs.wake()
    await until(next, (now) => texts(now).join() === 'one,two' && now.deeds.unsent.length === 0)
    expect(await saidIn(at)).toEqual(['one', 'two'])
  })

  it('does not lose what is written before it is known where the run lives', async () => {
    const at = await newRun()
    const run = browser().page(at)
    run.now().deeds.act(say('at once'))
    await until(run, (now) => texts(now).includes('at once'))
    expect(await saidIn(at)).toEqual(['at once'])
  })

  it('keeps what is written before that, shows that it waits, and has the next page send it', async () => {
    const at = await newRun()
    const tabs = browser()
    const away = tabs.page(at, { hub: { url: 'http://127.0.0.1:9', token: 'x' } })
    away.now().deeds.act(say('on the train'))
    const { about, deeds } = await until(away, (now) => now.deeds.unsent.length > 0)
    expect({ about, unsent: deeds.unsent }).toMatchObject({ about: null, unsent: [{ state: 'waiting' }] })
    await vi.waitFor(async () => expect(await tabs.box.list(at.run)).toHaveLength(1))
    await away.stop()
    await until(tabs.page(at), (now) => texts(now).includes('on the train') && now.deeds.unsent.length === 0)
    expect(await saidIn(at)).toEqual(['on the train'])
  })

  it('sends what waits though the browser has taken its database away meanwhile', async () => {
    const at = await newRun()
    const tabs = browser()
    let isAway = false
    const cut: typeof fetch = (input, init) => (isAway ? Promise.reject(new TypeError()) : fetch(input, init))
    const box: DeedBox = {
      ...tabs.box,
      list: (run) => (isAway ? Promise.reject(new Error('gone')) : tabs.box.list(run)),
    }
    const run = tabs.page(at, { hub: { ...hub, fetch: cut }, box })
    await until(run, isLive)
    isAway = true
    run.now().deeds.act(say('still here'))
    await until(run, ({ deeds }) => deeds.unsent[0]?.state === 'waiting')
    const list = box.list
    box.list = () => Promise.reject(new Error('gone'))
    isAway = false
    tabs.wake()
    await until(run, (now) => texts(now).includes('still here') && now.deeds.unsent.length === 0)
    box.list = list
    expect(await saidIn(at)).toEqual(['still here'])
  })

  it('asks once for what the hub refuses, and for what it has taken, though the browser can note neither', async () => {
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
    const box: DeedBox = {
      ...tabs.box,
      put: (deed) => (isFull && deed.refused ? full() : tabs.box.put(deed)),
      remove: full,
    }
    const run = tabs.page(at, { hub: { ...hub, fetch: counted }, box })
    run.now().deeds.act(say('too late'))
    await until(run, ({ deeds }) => deeds.unsent[0]?.state === 'refused')
    run.now().deeds.act({ do: 'open' })
    await until(run, isLive)
    run.now().deeds.act(say('in time'))
    const { deeds } = await until(
      run,
      (now) => texts(now).includes('in time') && now.deeds.unsent.length === 1,
    )
    expect(deeds.unsent[0]?.deed).toMatchObject({ text: 'too late' })
    expect(posts).toBe(3)
  })

  it('shows once what is in the log that is remembered and was not yet taken from what waits', async () => {
    const at = await newRun()
    const tabs = browser()
    const by = { kind: 'web' as const, id: 'usr_someone0' }
    const notification = event('_posthog/user_message', { content: 'once' })
    const timestamp = '2020-01-01T00:00:00.000Z'
    const key = { key: 'k', body: 'b' }
    await tabs.cache.add(at.run, [{ id: 1, type: 'notification', timestamp, notification, by, key }])
    const deed = say('once')
    await tabs.box.put({ key: 'k', at, writtenAt: timestamp, deed, turns: [], refused: null })
    const run = tabs.page(at, { hub: { url: 'http://127.0.0.1:9', token: 'x' } })
    const { deeds } = await until(run, (now) => texts(now).includes('once'))
    expect(deeds.unsent).toEqual([])
    await vi.waitFor(async () => expect(await tabs.box.list(at.run)).toEqual([]))
  })

  it('forgets an answer that was refused, once its question has its end', async () => {
    const at = await newRun()
    const tabs = browser()
    const deed = { do: 'answer', questionId: 'qst_over0001', answer: 'yes' } as const
    const writtenAt = '2020-01-01T00:00:00.000Z'
    await tabs.box.put({ key: 'k', at, writtenAt, deed, turns: [], refused: 'not that' })
    await until(tabs.page(at), (now) => isLive(now) && now.deeds.unsent.length === 0)
    await vi.waitFor(async () => expect(await tabs.box.runs()).toEqual([]))
  })

  it('comes back from an hour of sleep by a new connection, without a word of trouble', async () => {
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

  it('sends what two pages of one browser wrote, each once', async () => {
    const at = await newRun()
    const tabs = browser()
    const [one, two] = [tabs.page(at), tabs.page(at)]
    await Promise.all([until(one, isLive), until(two, isLive)])
    one.now().deeds.act(say('a'))
    two.now().deeds.act(say('b'))
    one.now().deeds.act(say('c'))
    const all = (now: RunNow) => texts(now).length === 3 && now.deeds.unsent.length === 0
    await Promise.all([until(one, all), until(two, all)])
    expect((await saidIn(at)).toSorted()).toEqual(['a', 'b', 'c'])
  })

  it('says what the hub refuses, lets others pass, and tries it again when asked to', async () => {
    const at = await newRun()
    const run = browser().page(at)
    await closeRun(hub, at)
    await until(run, ({ connection }) => connection.is === 'ended')
    run.now().deeds.act(say('too late'))
    const { deeds } = await until(run, (now) => now.deeds.unsent[0]?.state === 'refused')
    expect(deeds.unsent[0]?.why).toBe('The run is closed: open it again first.')
    deeds.act({ do: 'open' })
    await until(run, (now) => isLive(now) && now.story.view.status === 'queued')
    run.now().deeds.again(deeds.unsent[0]!.key)
    await until(run, (now) => texts(now).includes('too late') && now.deeds.unsent.length === 0)
  })

  it('takes a waiting message back and says it into the turn, both in one step', async () => {
    const at = await newRun()
    const run = browser().page(at)
    await until(run, isLive)
    run.now().deeds.act(say('later'))
    await until(run, (now) => texts(now).includes('later'))
    run.now().deeds.act({ do: 'steer', messageId: 1, text: 'now', attachments: [] })
    const { story } = await until(run, (now) => texts(now).includes('now') && now.deeds.unsent.length === 0)
    expect(story.queue).toMatchObject([{ id: 3, text: 'now', isSteering: true }])
    expect(story.items).toMatchObject([{ text: 'later', state: 'withdrawn' }, { text: 'now' }])
  })

  it('says nothing a second time that the agent has begun with while it was on its way', async () => {
    const at = await newRun()
    const { token } = await beginRunner(hub, at)
    let onTheWay = async () => {}
    const late: typeof fetch = async (url, init) => {
      if (init?.method === 'POST') await onTheWay()
      return fetch(url, init)
    }
    const run = browser().page(at, { hub: { ...hub, fetch: late } })
    await until(run, isLive)
    run.now().deeds.act(say('soon'))
    const { story } = await until(run, (now) => texts(now).includes('soon') && now.deeds.unsent.length === 0)
    const messageId = story.queue[0]!.id
    onTheWay = async () => {
      onTheWay = async () => {}
      const ack = event('_posthog/ack', { for: 'user_message', id: messageId })
      await post({ url: hub.url, token }, at, ack)
    }
    const ended = new Promise((resolve) =>
      run.now().deeds.act({ do: 'steer', messageId, text: 'soon', attachments: [] }, resolve),
    )
    expect(await ended).toEqual({ is: 'needless' })
    await until(run, (now) => now.story.view.openTurns.length === 1)
    expect(run.now().deeds.unsent).toEqual([])
    expect(await saidIn(at)).toEqual(['soon'])
  })

  it('brings a file to the hub before anything names it', async () => {
    const at = await newRun()
    const run = browser().page(at)
    const { deeds } = await until(run, isLive)
    const progress: number[] = []
    const signal = new AbortController().signal
    const file = new File(['some notes'], 'notes.txt', { type: 'text/plain' })
    const attachment = await deeds.attach(file, { signal, onProgress: (part) => progress.push(part) })
    run.now().deeds.act({ do: 'say', text: 'read it', attachments: [attachment], when: 'queue' })
    const { story } = await until(run, (now) => texts(now).includes('read it'))
    expect(story.queue[0]?.attachments).toMatchObject([
      { name: 'notes.txt', mimeType: 'text/plain', size: 10 },
    ])
    expect(progress.at(-1)).toBe(1)
  })

  it('is there from what the browser remembers, also without a hub', async () => {
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

  it('believes the hub and not what it remembers where the two differ', async () => {
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

  it('gives all events to whoever begins to listen late', async () => {
    const at = await newRun()
    await post(hub, at, event('_posthog/user_message', { content: 'early' }))
    const run = browser().page(at)
    await until(run, (now) => isLive(now) && now.story.lastId === 1)
    const heard: number[] = []
    run.listen((events) => heard.push(...events.map(({ id }) => id)))
    run.now().deeds.act(say('late'))
    await until(run, (now) => now.story.lastId === 2)
    expect(heard).toEqual([1, 2])
  })

  it('says so if there is no such run', async () => {
    const run = browser().page({ ...(await newRun()), run: newId(RunId, 'run') })
    const { connection } = await until(run, (now) => now.connection.is === 'refused')
    expect(connection).toMatchObject({ why: 'unknown' })
  })
})
