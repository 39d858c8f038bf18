import type { Fetch } from '@farhand/client/requests/hub'
import type { DeviceRequest, RequestState } from '@farhand/protocol/schemas/requests'
import { newId, ProjectId, RequestId, RunId, TaskId, UserId } from '@farhand/protocol/wire/ids'
import { expect, it } from 'vitest'
import type { RunnerEnd, RunnerProcess } from '../hosting/runner-process.ts'
import { RequestWorker } from './request-worker.ts'

const at = { project: newId(ProjectId, 'prj'), task: newId(TaskId, 'tsk'), run: newId(RunId, 'run') }
const id = newId(RequestId, 'req')
const settings = {
  isOn: true,
  url: 'http://hub',
  workspace: '/w',
  agent: 'rehearsal',
  questions: 'ask',
} as const
const noted = { id, url: settings.url, device: 'dev_aaaaaaaa', nth: 1, at, over: false }

/** A runner whose end the test decides. */
class Runner {
  end: (how: RunnerEnd) => void = () => {}
  readonly process: RunnerProcess = {
    pid: undefined,
    log: '',
    ended: new Promise((resolve) => {
      this.end = resolve
    }),
  }
}

/** As much of a hub as a worker asks: the state of one request, and what was asked of its run. */
class Hub {
  state: RequestState = 'working'
  asked: string[] = []
  onRest = () => {}
  readonly fetch = (async (url: string, init: RequestInit = {}) => {
    const what = `${init.method} ${new URL(url).pathname.split('/').at(-1)}`
    this.asked.push(what)
    if (what === 'POST rest') this.onRest()
    if (what === 'POST sync') return Response.json({ lastEventId: 1, ids: [1] }, { status: 202 })
    if (what === 'POST rest') return Response.json({ isAsked: true, lastEventId: 1 }, { status: 202 })
    const request: DeviceRequest = {
      ...{ id, ...at, user_id: newId(UserId, 'usr'), message: 'do it', channel: 'web', state: this.state },
      ...{ decided: 'device', device: null, origin_device: null, needs_device: false, part_of: null },
      ...{ notice: null, created_at: new Date().toISOString(), expires_at: null, states: [] },
    }
    return Response.json(request)
  }) as Fetch
}

function workerFor(hub: Hub, start: () => RunnerProcess, running: () => RunnerProcess | null = () => null) {
  const { signal } = new AbortController()
  const access = { url: settings.url, token: 't', fetch: hub.fetch }
  return new RequestWorker({ hub: access, settings, start, running, log: () => {}, signal, againMs: 0 })
}

it('W108 the runner of a request that has ended is asked to end: the next request needs its folder', async () => {
  const [hub, runner] = [new Hub(), new Runner()]
  hub.onRest = () => runner.end({ is: 'ended', code: 0, said: '' })
  const worker = workerFor(hub, () => {
    hub.state = 'done'
    return runner.process
  })
  // The message about the end comes before or after the worker listens for it.
  const told = setInterval(() => worker.ended(id))
  expect(await worker.work(noted)).toBeNull()
  clearInterval(told)
  expect(hub.asked.filter((one) => one.startsWith('POST'))).toEqual(['POST sync', 'POST rest'])
})

it('W108 a runner that outlived the process that started it is asked to end, too, once its request has', async () => {
  const [hub, left] = [new Hub(), new Runner()]
  hub.state = 'done'
  hub.onRest = () => left.end({ is: 'ended', code: 0, said: '' })
  const never = () => {
    throw new Error('nothing is to be started')
  }
  expect(await workerFor(hub, never, () => left.process).work(noted)).toBeNull()
  expect(hub.asked).toContain('POST rest')
})

it('W108 a runner that is killed is started again, and after five that end at once the hub is told why', async () => {
  const hub = new Hub()
  let started = 0
  const worker = workerFor(hub, () => {
    started += 1
    const runner = new Runner()
    runner.end({ is: 'ended', code: 1, said: 'there is no such agent' })
    return runner.process
  })
  expect(await worker.work(noted)).toMatch(/rehearsal could not work on it: .*there is no such agent/)
  expect(started).toBe(5)
})
