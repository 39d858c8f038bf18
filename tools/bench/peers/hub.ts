import { readFileSync } from 'node:fs'
import { type Child, printedJson } from '../children.ts'
import type { PostTarget } from '../load/post.ts'
import type { ReadTarget } from '../load/readers.ts'
import { node, withProbe } from '../node-program.ts'
import type { Bench } from '../row.ts'

export type Hub = { child: Child; port: number; url: string; token: string; data: string }

/** A run with a runner of its own: `post` and `headers` carry the runner's token. */
export type HubRun = {
  id: string
  generation: number
  post: PostTarget
  live: ReadTarget
  replay: Omit<ReadTarget, 'ready'>
  log(after: number): Omit<ReadTarget, 'ready'>
}

/** The hub as a user starts it. A data folder that was used before needs the token it was given then. */
export async function startHub(
  bench: Bench,
  data: string,
  options: { token?: string; probe?: boolean; settings?: readonly string[] } = {},
): Promise<Hub> {
  const preload = options.probe ? withProbe : []
  const args = [
    ...preload,
    bench.hubEntry,
    'hub',
    '--port',
    '0',
    '--data',
    data,
    '--json',
    ...(options.settings ?? []),
  ]
  const child = bench.children.start(node, args, options.probe ? { extra: ['ipc'] } : {})
  const { url, token } = await printedJson(child, (line) =>
    typeof line.url === 'string' ? { url: line.url, token: line.token } : null,
  )
  const known = typeof token === 'string' ? token : options.token
  if (known === undefined) throw new Error('the hub printed no token')
  return { child, port: Number(new URL(url).port), url, token: known, data }
}

async function create(hub: Hub, path: string, body: unknown): Promise<Record<string, unknown>> {
  const answer = await fetch(new URL(path, hub.url), {
    method: 'POST',
    headers: { Authorization: `Bearer ${hub.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`POST ${path} was answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

export async function newRun(hub: Hub): Promise<HubRun> {
  const project = `/api/projects/${(await create(hub, '/api/projects', { name: 'bench' })).id}`
  const task = `${project}/tasks/${(await create(hub, `${project}/tasks`, { title: 'bench' })).id}`
  const run = await create(hub, `${task}/runs`, { sandbox: 'none' })
  const path = `${task}/runs/${run.id}`
  const runner = await create(hub, `${path}/runner`, {})
  return runTargets(hub, path, String(runner.token), Number(runner.generation))
}

/** The same run on a hub that was started again. */
export function sameRun(hub: Hub, run: HubRun): HubRun {
  const token = run.post.headers!.Authorization!.replace('Bearer ', '')
  return runTargets(hub, run.post.path.replace(/\/sync$/, ''), token, run.generation)
}

function runTargets(hub: Hub, path: string, runnerToken: string, generation: number): HubRun {
  const { port } = hub
  const reader = { Authorization: `Bearer ${hub.token}` }
  const stream = { ...reader, Accept: 'text/event-stream' }
  return {
    id: path.slice(path.lastIndexOf('/') + 1),
    generation,
    post: {
      port,
      path: `${path}/sync`,
      headers: { Authorization: `Bearer ${runnerToken}`, 'Content-Type': 'application/json' },
    },
    live: { port, path: `${path}/sync?start=latest`, headers: stream, ready: 'event: live' },
    replay: { port, path: `${path}/sync`, headers: stream },
    log: (after) => ({ port, path: `${path}/sync/log?after=${after}`, headers: reader }),
  }
}

/** What the process holds in memory at this moment, from the kernel. */
export function residentBytes(pid: number): number {
  const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(found?.[1]) * 1024
}

export async function lastEventId(run: HubRun): Promise<number> {
  const { port, path, headers } = run.log(0)
  const status = path.replace(/log\?.*/, 'status')
  const answer = await fetch(`http://127.0.0.1:${port}${status}`, { headers: headers! })
  if (!answer.ok) throw new Error(`GET ${status} was answered ${answer.status}`)
  const { lastEventId } = await answer.json()
  return lastEventId
}
