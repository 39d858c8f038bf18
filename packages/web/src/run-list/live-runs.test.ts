import { rm } from 'node:fs/promises'
import { post } from '@farhand/client/post/post'
import type { Hub } from '@farhand/client/requests/hub'
import {
  addressOf,
  beginRunner,
  createProject,
  createRun,
  createTask,
  listAllRuns,
} from '@farhand/client/resources/resources'
import { archiveRun, muteRun, renameRun } from '@farhand/client/resources/run-preferences'
import type { ListedRun } from '@farhand/protocol/schemas/api'
import { newId, RunId } from '@farhand/protocol/wire/ids'
import { HubProcess } from '@farhand/testkit/hub-process'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ListCache } from '../storage/list-cache.ts'
import { LiveRuns } from './live-runs.ts'
import type { RunList } from './run-list-source.ts'
import { latestFirst } from './run-sections.ts'

let server: HubProcess
let hub: Hub
let project: Awaited<ReturnType<typeof createProject>>
beforeAll(async () => {
  server = await HubProcess.start()
  hub = { url: server.url, token: server.token }
  project = await createProject(hub, { name: 'lists' })
})
afterAll(async () => {
  await server.kill()
  await rm(server.data, { recursive: true, force: true })
})

const open: LiveRuns[] = []
afterEach(() => {
  for (const list of open.splice(0)) list.stop()
})

function remembering(): ListCache {
  let kept: { runs: readonly ListedRun[]; asOf: number } | null = null
  return {
    read: async () => kept,
    write: async (runs, asOf) => {
      kept = { runs, asOf }
    },
  }
}

/** Rings as a browser does that was asleep: connections from before are not trusted. */
const listeners = new Set<(awayMs: number) => void>()
function wakeUp(): void {
  for (const listener of listeners) listener(Number.POSITIVE_INFINITY)
}

function listOf(cache = remembering(), at = hub): LiveRuns {
  const wake = {
    onWake: (listener: (awayMs: number) => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const list = new LiveRuns({ hub: at, cache, wake, frame: (draw) => setTimeout(draw) })
  open.push(list)
  return list
}

const until = (list: LiveRuns, is: (now: RunList) => boolean) =>
  new Promise<RunList>((resolve) => {
    const look = () => {
      if (!is(list.now())) return
      ended()
      resolve(list.now())
    }
    const ended = list.subscribe(look)
    look()
  })

async function newRun(title: string) {
  const task = await createTask(hub, project.id, { title })
  return addressOf(await createRun(hub, project.id, task.id, { sandbox: 'none' }))
}

const titles = ({ runs }: RunList) => runs.map(({ title }) => title)

/** A run that waits for the user, and `count` newer ones. */
async function oneAsksBehind(newer: number) {
  const at = await newRun('Asks since long ago')
  const { token } = await beginRunner(hub, at, {})
  const asked = { questionId: 'qst_00000001', question: 'Which?' }
  const question = { jsonrpc: '2.0', method: '_posthog/agent_question', params: asked } as const
  await post({ url: hub.url, token }, at, question, { key: 'asks' })
  const { task } = await newRun('Newer')
  for (let n = 0; n < newer; n++) await createRun(hub, project.id, task, { sandbox: 'none' })
  return at
}

describe('a list that is kept live', () => {
  it('shows a run that another client starts, at its top, without a request', async () => {
    const list = listOf()
    await until(list, ({ isLive, isLoading }) => isLive && !isLoading)
    await newRun('New elsewhere')
    const now = await until(list, (now) => titles(now)[0] === 'New elsewhere')
    expect(now.asOf).not.toBeNull()
  })

  it('shows a new title at once, and has the hub keep it', async () => {
    const at = await newRun('Old name')
    const list = listOf()
    await until(list, (now) => titles(now).includes('Old name'))
    const renamed = list.rename(at, 'New name')
    expect(titles(list.now())).toContain('New name')
    await renamed
    const { items } = await listAllRuns(hub)
    expect(items.find(({ id }) => id === at.run)?.title).toBe('New name')
  })

  it('lists archived runs only if asked for', async () => {
    const at = await newRun('Put away')
    const list = listOf()
    await until(list, (now) => titles(now).includes('Put away'))
    await list.archive(at, true)
    await until(list, (now) => !titles(now).includes('Put away'))
    list.ask({ find: 'put', archived: true })
    expect(titles(await until(list, (now) => !now.isLoading))).toEqual(['Put away'])
  })

  it('takes a change back that the hub refuses, and says so', async () => {
    const at = await newRun('As it is')
    const list = listOf()
    await until(list, (now) => titles(now).includes('As it is'))
    await expect(list.rename(at, ' ')).rejects.toThrow()
    expect(titles(list.now())).toContain('As it is')
    await expect(list.rename({ ...at, run: newId(RunId, 'run') }, 'x')).rejects.toThrow()
  })

  it('has all requested pages also after a break', async () => {
    const { task } = await newRun('The first of many')
    for (let n = 0; n < 52; n++) await createRun(hub, project.id, task, { sandbox: 'none' })
    const list = listOf()
    await until(list, ({ isLive, isLoading }) => isLive && !isLoading)
    expect(list.now()).toMatchObject({ hasMore: true, runs: { length: 50 } })
    list.more()
    const all = await until(list, ({ hasMore, isLoading }) => !hasMore && !isLoading)
    expect(titles(all)).toContain('The first of many')
    wakeUp()
    // The break itself may be over before it is drawn.
    const isAnew = ({ isLive, isLoading, asOf }: RunList) => isLive && !isLoading && asOf! > all.asOf!
    const after = await until(list, isAnew)
    expect(titles(after)).toEqual(titles(all))
  })

  it('has a run on its first page that was active last, no matter how old it is', async () => {
    const at = await newRun('Old and busy')
    for (let n = 0; n < 52; n++) await createRun(hub, project.id, at.task, { sandbox: 'none' })
    await post(hub, at, { jsonrpc: '2.0', method: '_posthog/user_message', params: { content: 'go' } })
    const list = listOf()
    const now = await until(list, ({ isLive, isLoading }) => isLive && !isLoading)
    expect(now).toMatchObject({ hasMore: true, runs: { length: 50 } })
    expect(now.runs.toSorted(latestFirst)[0]?.id).toBe(at.run)
    list.more()
    const all = await until(list, ({ runs, isLoading }) => runs.length > 50 && !isLoading)
    expect(new Set(all.runs.map(({ id }) => id)).size).toBe(all.runs.length)
    expect(all.runs.toSorted(latestFirst)[0]?.id).toBe(at.run)
  })

  it('has runs that need the user, no matter how old they are, and no more pages than requested', async () => {
    const at = await oneAsksBehind(55)
    const cache = remembering()
    const list = listOf(cache)
    const now = await until(list, ({ isLive, isLoading }) => isLive && !isLoading)
    expect([now.hasMore, now.runs.length]).toEqual([true, 51])
    expect(titles(now).at(-1)).toBe('Asks since long ago')
    const kept = (await cache.read())?.runs ?? []
    expect(kept.some(({ id }) => id === at.run)).toBe(true)
    wakeUp()
    const isAnew = ({ isLive, isLoading, asOf }: RunList) => isLive && !isLoading && asOf! > now.asOf!
    expect(titles(await until(list, isAnew))).toEqual(titles(now))
    list.ask({ find: 'newer', archived: false })
    expect(titles(await until(list, ({ isLoading }) => !isLoading))).not.toContain('Asks since long ago')
  })

  it('shows its first page before the waiting runs are found, together with those that it knows to wait', async () => {
    await oneAsksBehind(55)
    const cache = remembering()
    const whole = await until(listOf(cache), ({ isLive, isLoading }) => isLive && !isLoading)
    const waiting = whole.runs.length - 50
    expect(waiting).toBeGreaterThan(0)
    for (const [kept, shown] of [
      [remembering(), 50],
      [cache, 50 + waiting],
    ] as const) {
      let release = () => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      const slow: typeof fetch = async (url, init) => {
        if (String(url).includes('waiting=true')) await held
        return fetch(url, init)
      }
      const list = listOf(kept, { ...hub, fetch: slow })
      const now = await until(list, ({ isLive, hasMore }) => isLive && hasMore)
      expect([now.isLoading, now.runs.length]).toEqual([true, shown])
      release()
      expect(titles(await until(list, ({ isLoading }) => !isLoading))).toEqual(titles(whole))
    }
  })

  it('does not let a page that was long on its way undo news that came meanwhile', async () => {
    const at = await newRun('Before')
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const slow: typeof fetch = async (url, init) => {
      const answer = await fetch(url, init)
      if (new URL(String(url)).pathname === '/api/runs') await held
      return answer
    }
    const list = listOf(remembering(), { ...hub, fetch: slow })
    await until(list, ({ isLive }) => isLive)
    await renameRun(hub, at.run, 'Meanwhile')
    await until(list, (now) => titles(now).includes('Meanwhile'))
    release()
    const now = await until(list, ({ isLoading }) => !isLoading)
    expect(now.runs.length).toBeGreaterThan(1)
    expect(titles(now)).toContain('Meanwhile')
    expect(titles(now)).not.toContain('Before')
  })

  it('knows the title of a watched run that is not listed', async () => {
    const at = await newRun('By its link')
    await archiveRun(hub, at.run, true)
    const list = listOf()
    await until(list, ({ isLive, isLoading }) => isLive && !isLoading)
    expect(list.known(at.run)).toBeNull()
    list.watch(at.run)
    await until(list, () => list.known(at.run) !== null)
    expect(list.known(at.run)).toMatchObject({ title: 'By its link', isArchived: true })
    await list.rename(at, 'By its new link')
    expect(list.known(at.run)?.title).toBe('By its new link')
    await muteRun(hub, at.run, true)
    await until(list, () => list.known(at.run)?.isMuted === true)
    expect(titles(list.now())).not.toContain('By its new link')
  })

  it('says in plain words that the user is signed out', async () => {
    const list = listOf(remembering(), { ...hub, token: 'nobody' })
    expect(await until(list, ({ trouble }) => trouble !== null)).toMatchObject({
      ...{ trouble: 'Signed out', isLive: false, isLoading: false },
    })
  })

  it('shows cached runs if there is no hub, and does not call them fresh', async () => {
    const cache = remembering()
    await newRun('Remembered')
    const first = listOf(cache)
    await until(first, (now) => titles(now).includes('Remembered') && !now.isLoading)
    const offline = listOf(cache, { url: 'http://127.0.0.1:9', token: 'x' })
    const now = await until(offline, ({ trouble, runs }) => trouble !== null && runs.length > 0)
    expect(titles(now)).toContain('Remembered')
    expect(now).toMatchObject({ isLive: false, isLoading: false, trouble: 'Reconnecting' })
  })
})
