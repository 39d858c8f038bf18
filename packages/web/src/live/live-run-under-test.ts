import { rm } from 'node:fs/promises'
import { readLog } from '@farhand/client/follow/read-log'
import type { Hub } from '@farhand/client/requests/hub'
import { addressOf, createProject, createRun, createTask } from '@farhand/client/resources/resources'
import type { Notification } from '@farhand/protocol/wire/event'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { HubProcess } from '@farhand/testkit/hub-process'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { memoryOutbox, type Outbox } from '../outbox/outbox.ts'
import { memoryRunCache } from '../storage/memory-run-cache.ts'
import type { RunCache } from '../storage/run-cache.ts'
import { LiveRun, type LiveRunState } from './live-run.ts'

export let server: HubProcess
export let hub: Hub
let project: Awaited<ReturnType<typeof createProject>>
const open: LiveRun[] = []

/** Starts a hub for the test file that calls this. */
export function withHub(): void {
  beforeAll(async () => {
    server = await HubProcess.start()
    hub = { url: server.url, token: server.token }
    project = await createProject(hub, { name: 'live' })
  })
  afterEach(async () => {
    for (const run of open.splice(0)) await run.stop()
  })
  afterAll(async () => {
    await server.kill()
    await rm(server.data, { recursive: true, force: true })
  })
}

/** The tabs of one browser: they share storage and take turns. */
export function browser() {
  const listeners = new Set<(awayMs: number) => void>()
  const queues = new Map<string, Promise<void>>()
  const cache = memoryRunCache()
  const outbox = memoryOutbox()
  return {
    cache,
    outbox,
    wake: (awayMs = 3600_000) => {
      for (const listener of [...listeners]) listener(awayMs)
    },
    page: (at: RunAddress, more: { hub?: Hub; cache?: RunCache; outbox?: Outbox } = {}) => {
      const run = new LiveRun({
        hub,
        run: at.run,
        cache,
        outbox,
        wake: {
          onWake(listener) {
            listeners.add(listener)
            return () => listeners.delete(listener)
          },
        },
        tabLock: (name, _, work) => {
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

export const until = (run: LiveRun, is: (now: LiveRunState) => boolean) =>
  new Promise<LiveRunState>((resolve) => {
    const look = () => {
      if (!is(run.now())) return
      ended()
      resolve(run.now())
    }
    const ended = run.subscribe(look)
    look()
  })

export async function newRun(): Promise<RunAddress> {
  const task = await createTask(hub, project.id, { title: 'Live' })
  return addressOf(await createRun(hub, project.id, task.id, { sandbox: 'none' }))
}

export const say = (text: string) => ({ do: 'say', text, attachments: [], when: 'queue' }) as const
export const event = (method: string, params: object): Notification => ({
  jsonrpc: '2.0',
  method,
  params: { ...params },
})
export const isLive = ({ connection }: LiveRunState) => connection.is === 'live'
export const texts = ({ story }: LiveRunState) => story.queue.map(({ text }) => text)

export async function saidIn(at: RunAddress): Promise<unknown[]> {
  const said = []
  for await (const { notification } of readLog(hub, at))
    if (notification.method === '_posthog/user_message') said.push(notification.params?.content)
  return said
}
