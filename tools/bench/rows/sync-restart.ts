import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Child } from '../children.ts'
import { lazily } from '../lazily.ts'
import { allThere } from '../load/arrival.ts'
import { commandMs } from '../load/command-ms.ts'
import { bigTree, planTree, type Tree, writeTree } from '../load/tree.ts'
import type { Peer } from '../peers/install.ts'
import { hubInMemory, inStep, linkPair, type Side, startLink } from '../peers/links.ts'
import { unisonOnce } from '../peers/unison.ts'
import { type Entry, interleave } from '../rounds.ts'
import type { Bench, Row } from '../row.ts'

const sides: Record<Side, string> = { disk: 'farhand, device', log: 'farhand, runner' }

function ownEntries(bench: Bench, tree: Tree): Entry[] {
  const linked = lazily(async () => {
    const hub = await hubInMemory(bench)
    const folders: Record<Side, string> = { disk: join(bench.folder, 'a'), log: join(bench.folder, 'b') }
    for (const folder of Object.values(folders)) mkdirSync(folder)
    writeTree(folders.disk, tree)
    const { run, links } = await linkPair(bench, hub, folders.disk, folders.log)
    await allThere(folders.log, tree.files, { limitMs: 120_000, everyMs: 20 })
    const running: Record<Side, Child> = { disk: links[0], log: links[1] }
    return { hub, run, folders, running }
  })
  return (['disk', 'log'] as const).map((wins) => ({
    name: sides[wins],
    async measure() {
      const { hub, run, folders, running } = await linked()
      await running[wins].stop()
      const started = performance.now()
      running[wins] = startLink(bench, { hub, run, folder: folders[wins], wins })
      await inStep(running[wins], 1)
      return { ms: performance.now() - started }
    },
  }))
}

/** A command that has copied the tree once before it is timed. */
function commandEntry(
  bench: Bench,
  name: string,
  peer: Peer,
  tree: Tree,
  command: (from: string, to: string) => [string, readonly string[]],
): Entry {
  if ('missing' in peer) return { name, peer: true, missing: peer.missing }
  const copied = lazily(async () => {
    const [from, to] = ['from', 'to'].map((side) => join(bench.folder, `${name.split(' ')[0]}-${side}`))
    for (const folder of [from!, to!]) mkdirSync(folder)
    writeTree(from!, tree)
    const again = () => commandMs(bench.children, ...command(from!, to!))
    await again()
    return again
  })
  return { name, peer: true, measure: async () => ({ ms: await (await copied())() }) }
}

export const syncRestart: Row = {
  name: 'sync-restart',
  title: 'Second start with nothing changed, 13,500 files, 149 MB',
  peers: ['rsync', 'unison'],
  inMemory: true,
  async run(bench) {
    const tree = planTree(bigTree)
    const entries = [
      ...ownEntries(bench, tree),
      commandEntry(bench, 'rsync -a', bench.installed.rsync, tree, (from, to) => [
        'rsync',
        ['-a', `${from}/`, `${to}/`],
      ]),
      commandEntry(bench, 'unison', bench.installed.unison, tree, (from, to) =>
        unisonOnce(join(bench.folder, 'unison'), from, to),
      ),
    ]
    return {
      figures: await interleave(entries, bench.quick ? 2 : 7, bench.say),
      goals: Object.values(sides).map((hub) => ({
        text: `${hub}: second start with nothing changed at most 1.5x rsync's no-op`,
        metric: 'ms',
        hub,
        over: 'rsync -a',
        atMost: 1.5,
      })),
      notes: [
        'Ours: from the start of the `farhand link` process to its first line that says it is in step, with the hub and the other side running. The others: the whole run of the command, over two folders that are equal.',
      ],
    }
  },
}
