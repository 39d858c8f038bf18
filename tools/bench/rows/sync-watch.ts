import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Child } from '../children.ts'
import { lazily } from '../lazily.ts'
import { allThere, differing } from '../load/arrival.ts'
import { freshText } from '../load/fresh-text.ts'
import { cpuMs } from '../load/process-use.ts'
import { planTree, type Tree, writeTree } from '../load/tree.ts'
import { residentBytes } from '../peers/hub.ts'
import { hubInMemory, inStep, linkPair, startLink } from '../peers/links.ts'
import { type Entry, interleave } from '../rounds.ts'
import type { Bench, Goal, Row } from '../row.ts'

const blockLoop = new URL('../load/block-loop.mjs', import.meta.url).href
const names = ['farhand, device', 'farhand, runner'] as const
const blockedMs = 4_000
// What a start took is given back little by little.
const settleMs = 5_000

type Sizes = { files: number; folders: number; edits: number; burst: number; idleMs: number }
const whole: Sizes = { files: 100_000, folders: 10_000, edits: 500, burst: 20_000, idleMs: 10_000 }
const small: Sizes = { files: 10_000, folders: 1_000, edits: 100, burst: 4_000, idleMs: 3_000 }

/** How many never arrive of changes to files all over the tree. */
async function missedEdits(from: string, to: string, tree: Tree, count: number): Promise<number> {
  const files = new Set<Tree['files'][number]>()
  while (files.size < count) files.add(tree.files[Math.floor(Math.random() * tree.files.length)]!)
  for (const file of files) {
    // Another length each time, and now and then a moment for the watcher to fall asleep again.
    writeFileSync(join(from, file.path), freshText(100 + Math.floor(Math.random() * 400), Math.random))
    if (Math.random() < 0.1) await wait(Math.random() * 20)
  }
  return lastDiffering(from, to, [...files])
}

/** How many never arrive of a burst that is written while the event loop of the side that should see it is blocked. */
async function missedBlocked(
  link: Child,
  from: string,
  to: string,
  name: string,
  count: number,
): Promise<number> {
  const files = Array.from({ length: count }, (_, n) => ({ path: `${name}/folder-${n % 200}/file-${n}.txt` }))
  const blocked = once(link.process, 'message')
  link.process.send(blockedMs)
  await blocked
  const until = performance.now() + blockedMs
  for (let n = 0; n < 200; n++) mkdirSync(join(from, name, `folder-${n}`), { recursive: true })
  for (const { path } of files) writeFileSync(join(from, path), freshText(200, Math.random))
  if (performance.now() > until) throw new Error('the burst took longer than the event loop was blocked')
  await wait(until - performance.now())
  return lastDiffering(from, to, files)
}

async function lastDiffering(from: string, to: string, files: readonly { path: string }[]): Promise<number> {
  const deadline = performance.now() + 30_000
  for (;;) {
    const missed = differing(from, to, files)
    if (missed === 0 || performance.now() > deadline) return missed
    await wait(200)
  }
}

function entriesOf(bench: Bench, sizes: Sizes): Entry[] {
  const linked = lazily(async () => {
    const tree = planTree({ ...sizes, bytes: sizes.files * 200 })
    const hub = await hubInMemory(bench)
    const folders = [join(bench.folder, 'a'), join(bench.folder, 'b')] as const
    for (const folder of folders) mkdirSync(folder)
    writeTree(folders[0], tree)
    bench.say(`linking ${tree.files.length.toLocaleString('en-US')} files`)
    const { run, links } = await linkPair(bench, hub, ...folders, { preload: blockLoop })
    await allThere(folders[1], tree.files, { limitMs: 120_000, everyMs: 100 })
    await wait(settleMs)
    const [before, from] = [links.map((link) => cpuMs(link.pid)), performance.now()]
    await wait(sizes.idleMs)
    const perTenSeconds = 10_000 / (performance.now() - from)
    const idle = links.map((link, n) => ({
      'MB RSS after the first sync': residentBytes(link.pid) / 1e6,
      'CPU ms in 10 s idle': (cpuMs(link.pid) - before[n]!) * perTenSeconds,
    }))
    return { tree, hub, run, folders, links, idle }
  })
  return names.map((name, side) => ({
    name,
    async measure() {
      const { tree, hub, run, folders, links, idle } = await linked()
      const [from, to] = [folders[side]!, folders[1 - side]!]
      const missed = {
        'edits missed': await missedEdits(from, to, tree, sizes.edits),
        'missed, blocked 4 s': await missedBlocked(links[side]!, from, to, `burst-${side}`, sizes.burst),
      }
      await links[side]!.stop()
      const again = startLink(bench, { hub, run, folder: from, wins: side === 0 ? 'disk' : 'log' })
      await inStep(again)
      await wait(settleMs)
      return {
        'MB RSS': residentBytes(again.pid) / 1e6,
        ...idle[side]!,
        ...missed,
      }
    },
  }))
}

const goals: Goal[] = names.flatMap((hub): Goal[] => [
  { text: `${hub}: watching 100,000 files under 150 MB`, metric: 'MB RSS', hub, atMost: 150, unit: 'MB' },
  {
    text: `${hub}: under 150 MB also right after the first sync`,
    metric: 'MB RSS after the first sync',
    hub,
    atMost: 150,
    unit: 'MB',
  },
  { text: `${hub}: no CPU when idle`, metric: 'CPU ms in 10 s idle', hub, atMost: 30, unit: 'ms in 10 s' },
  { text: `${hub}: no change missed`, metric: 'edits missed', hub, atMost: 0 },
  {
    text: `${hub}: also with the event loop blocked for 4 s`,
    metric: 'missed, blocked 4 s',
    hub,
    atMost: 0,
  },
])

export const syncWatch: Row = {
  name: 'sync-watch',
  title: 'Watching 100,000 files',
  peers: [],
  inMemory: true,
  async run(bench) {
    const sizes = bench.quick ? small : whole
    return {
      figures: await interleave(entriesOf(bench, sizes), 1, bench.say, 0),
      goals,
      notes: [
        `${sizes.files.toLocaleString('en-US')} files in ${sizes.folders.toLocaleString('en-US')} folders, synced once; memory and CPU of each link are taken 5 s later and over ${sizes.idleMs / 1000} s in which nothing happens, memory again at the very end, 5 s after the link was started anew, "no CPU" being at most three ticks of the kernel's 10 ms. Then ${sizes.edits} files all over the tree are changed, and then ${sizes.burst.toLocaleString('en-US')} files are written into 200 new folders while the main thread of the link on that side is blocked for 4 s. What has not arrived on the other side after 30 s is missed.`,
      ],
    }
  },
}
