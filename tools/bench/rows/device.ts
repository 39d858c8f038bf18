import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { earlierVersion, hasCommit } from '../../../packages/e2e/src/upgrade/earlier-version.ts'
import { lazily } from '../lazily.ts'
import { editLatencies } from '../load/edits.ts'
import { Device } from '../peers/device.ts'
import type { Hub } from '../peers/hub.ts'
import { hubInMemory, inStep, startLink } from '../peers/links.ts'
import { type Entry, interleave } from '../rounds.ts'
import type { Bench, Goal, Row, Sample } from '../row.ts'
import { percentile } from '../statistics.ts'

const now = 'farhand, one process'
const before = 'farhand, a process for each folder'
/** The last commit with a process for each folder. */
const lastBefore = '8951ccc4'
const folders = 10
const filesEach = 50
// What a start took is given back little by little.
const settleMs = 15_000

function makeFolder(folder: string): string[] {
  mkdirSync(folder)
  const files = Array.from({ length: filesEach }, (_, n) => `file-${n}.txt`)
  for (const file of files) writeFileSync(join(folder, file), `the first text of ${folder} and ${file}\n`)
  return files
}

async function measureOn(
  bench: Bench,
  hub: Hub,
  device: Device,
  place: string,
  edits: number,
): Promise<Sample> {
  const first = join(place, 'run')
  makeFolder(first)
  const cold = await device.firstFilesMs(hub, first)
  const all = Array.from({ length: folders }, (_, n) => join(place, `folder-${n}`))
  let run = ''
  let files: string[] = []
  for (const folder of all) {
    files = makeFolder(folder)
    run = await device.link(hub, folder)
  }
  const second = join(place, 'run-again')
  makeFolder(second)
  const warm = await device.firstFilesMs(hub, second)
  await wait(settleMs)
  const { pss, rss } = device.memory()
  // The other side is the same for both: what differs is from the save to the hub.
  const to = join(place, 'far')
  mkdirSync(to)
  const far = startLink(bench, { hub, run, folder: to, wins: 'log' })
  try {
    await inStep(far)
    const plan = { from: all.at(-1)!, to, files, count: edits, pauseMs: 40, limitMs: 30_000 }
    const latencies = await editLatencies(plan)
    return {
      'run to files at hub, first, ms': cold,
      'with ten linked, ms': warm,
      'save to other side p50, ms': percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
      'ten folders, MB PSS': pss / 1e6,
      'MB RSS': rss / 1e6,
    }
  } finally {
    await far.stop()
  }
}

function entryOf(
  bench: Bench,
  name: string,
  command: () => string,
  hub: () => Promise<Hub>,
  edits: number,
): Entry {
  const measure = async () => {
    const place = join(bench.folder, name.replaceAll(/\W+/g, '-'))
    mkdirSync(place)
    const device = new Device(bench, command(), join(place, 'state'))
    try {
      return await measureOn(bench, await hub(), device, place, edits)
    } finally {
      await device.end()
      rmSync(place, { recursive: true, force: true })
    }
  }
  return { name, measure, ...(name === before && { peer: true as const }) }
}

const goal = (text: string, metric: string, atMost: number): Goal => ({
  text,
  metric,
  hub: now,
  over: before,
  atMost,
})

export const device: Row = {
  name: 'device',
  title: 'Ten folders in the background of one computer',
  peers: [],
  inMemory: true,
  async run(bench) {
    const edits = bench.quick ? 30 : 100
    const hub = lazily(() => hubInMemory(bench))
    let earlier: string | null = null
    const commandBefore = () => {
      earlier ??= earlierVersion(lastBefore, join(bench.folder, 'earlier'))
      return earlier
    }
    const entries: Entry[] = [
      entryOf(bench, now, () => bench.hubEntry, hub, edits),
      hasCommit(lastBefore)
        ? entryOf(bench, before, commandBefore, hub, edits)
        : { name: before, peer: true, missing: `this clone does not have the commit ${lastBefore}` },
    ]
    return {
      figures: await interleave(entries, bench.quick ? 1 : 5, bench.say),
      goals: [
        goal('memory with ten linked folders: less than half', 'MB RSS', 0.5),
        { ...goal('also where shared pages count once', 'ten folders, MB PSS', 0.5), aim: true },
        goal('from `farhand run` to its files at the hub: no worse', 'run to files at hub, first, ms', 1.05),
        goal('with ten folders linked: no worse', 'with ten linked, ms', 1.05),
        goal('from a save to the other side: no worse', 'save to other side p50, ms', 1.05),
      ],
      notes: [
        `Both versions at the same hub, each with an empty state folder in each round: a run in a sandbox of the hub with ${filesEach} files, timed by its own clock until the hub has them; ten folders of ${filesEach} files linked with \`farhand link --background\`, another such run beside them, and ${settleMs / 1000} s later the memory of all processes of that state folder: PSS counts a page that several processes share once. Then ${edits} saves in one of the folders until they are in another one that \`farhand link\` keeps, of the same version for both.`,
      ],
    }
  },
}
