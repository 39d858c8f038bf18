import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createProject, createRun, createTask, listAllRuns } from '@farhand/client/resources/resources'
import { lazily } from '../lazily.ts'
import { cpuMs } from '../load/process-use.ts'
import { type Hub, residentBytes, startHub } from '../peers/hub.ts'
import { interleave } from '../rounds.ts'
import type { Bench, Row, Sample } from '../row.ts'

const empty = 'an empty hub'
const full = 'with 100 runs asleep'
const watchMs = 10_000
const asleepWithinMs = 600_000
const mib = 1024 * 1024

/** A hub whose runs have all been in a sandbox and lie asleep. */
async function hubWithSleepers(bench: Bench, runs: number): Promise<Hub> {
  const hub = await startHub(bench, join(bench.folder, 'asleep'), { settings: ['--idle-minutes', '0.001'] })
  const project = await createProject(hub, { name: 'asleep' })
  const task = await createTask(hub, project.id, { title: 'asleep' })
  const asked = { agent: 'rehearsal', sandbox: 'process' }
  for (let n = 0; n < runs; n++) await createRun(hub, project.id, task.id, asked)
  for (const untilMs = performance.now() + asleepWithinMs; ; await sleep(500)) {
    const count = await sleeping(hub)
    if (count === runs) return hub
    if (performance.now() > untilMs) throw new Error(`only ${count} of ${runs} runs fell asleep`)
  }
}

async function sleeping(hub: Hub): Promise<number> {
  let count = 0
  let cursor: string | undefined
  do {
    const page = await listAllRuns(hub, { ...(cursor !== undefined && { cursor }), status: 'asleep' })
    count += page.items.length
    cursor = page.next ?? undefined
  } while (cursor !== undefined)
  return count
}

async function atRest(hub: Hub): Promise<Sample> {
  // What was asked to find out that they sleep is done by then.
  await sleep(2_000)
  const before = cpuMs(hub.child.pid)
  await sleep(watchMs)
  return {
    'CPU, ms in 10 s': cpuMs(hub.child.pid) - before,
    processes: childrenOf(hub.child.pid) + sandboxesOf(hub),
    'MiB RSS': residentBytes(hub.child.pid) / mib,
  }
}

const childrenOf = (pid: number) =>
  readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid).length

function parentOf(name: string): number | null {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 4).split(' ')[0])
  } catch {
    // It has ended meanwhile.
    return null
  }
}

function sandboxesOf({ data }: Hub): number {
  try {
    return readdirSync(join(data, 'sandboxes')).length
  } catch {
    // There has never been one.
    return 0
  }
}

export const sandboxAsleep: Row = {
  name: 'sandbox-asleep',
  title: '100 runs asleep',
  peers: [],
  inMemory: true,
  async run(bench) {
    const runs = bench.quick ? 10 : 100
    const bare = lazily(() => startHub(bench, join(bench.folder, 'empty')))
    const sleepers = lazily(() => hubWithSleepers(bench, runs))
    const entries = [
      { name: empty, measure: async () => atRest(await bare()) },
      { name: full, measure: async () => atRest(await sleepers()) },
    ]
    return {
      figures: await interleave(entries, bench.quick ? 1 : 5, bench.say),
      goals: [
        { text: 'no process', metric: 'processes', hub: full, worst: true, atMost: 0 },
        {
          text: 'no CPU: at most 1.5x that of an empty hub',
          metric: 'CPU, ms in 10 s',
          hub: full,
          over: empty,
          atMost: 1.5,
        },
      ],
      notes: [
        `Each run was given a sandbox and a runner, had nothing to do, and was put to sleep (here after 60 ms instead of ten minutes). CPU is that of the hub's process, which the kernel counts in steps of 10 ms; processes are those that the hub has started and the sandboxes that it has${bench.quick ? `; only ${runs} runs, because this was quick` : ''}.`,
      ],
    }
  },
}
