import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { lazily } from '../lazily.ts'
import { allThere, differing } from '../load/arrival.ts'
import { commandMs } from '../load/command-ms.ts'
import { bigTree, planTree, type Tree, writeTree } from '../load/tree.ts'
import type { FolderSync } from '../peers/folder-sync.ts'
import { otherSyncs } from '../peers/folder-syncs.ts'
import { newRun, startHub } from '../peers/hub.ts'
import type { Peer } from '../peers/install.ts'
import { startLink, whileLinked } from '../peers/links.ts'
import { unisonOnce } from '../peers/unison.ts'
import { type Entry, interleave } from '../rounds.ts'
import type { Bench, Goal, Row, Sample } from '../row.ts'

const up = 'farhand, device to runner'
const down = 'farhand, runner to device'
const limitMs = 120_000

type Source = () => Promise<string>

/** An empty folder for one round, gone afterwards with what belongs to it. */
async function withFolder(
  bench: Bench,
  name: string,
  work: (folder: string) => Promise<number>,
): Promise<Sample> {
  const folder = join(bench.folder, `first-${name.replaceAll(/\W+/g, '-')}`)
  mkdirSync(folder)
  try {
    return { ms: await work(folder) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function ownEntry(bench: Bench, name: string, tree: Tree): Entry {
  const measure = () =>
    withFolder(bench, name, async (folder) => {
      // A hub of its own each time: one that has seen the contents before would have less to do.
      const hub = await startHub(bench, join(folder, 'hub'))
      const { id: run } = await newRun(hub)
      const [a, b] = [join(folder, 'a'), join(folder, 'b')]
      for (const side of [a, b]) mkdirSync(side)
      const [from, to] = name === up ? [a, b] : [b, a]
      writeTree(from, tree)
      const started = performance.now()
      const links = [
        startLink(bench, { hub, run, folder: a, wins: 'disk' }),
        startLink(bench, { hub, run, folder: b, wins: 'log' }),
      ]
      try {
        const arrived = await whileLinked(links, (signal) =>
          allThere(to, tree.files, { limitMs, everyMs: 5, signal }),
        )
        refuseDifferences(from, to, tree)
        return arrived - started
      } finally {
        await Promise.all([...links, hub.child].map((child) => child.stop()))
      }
    })
  return { name, measure }
}

function refuseDifferences(from: string, to: string, tree: Tree): void {
  const wrong = differing(from, to, tree.files)
  if (wrong > 0) throw new Error(`${wrong} files arrived with other bytes`)
}

/** One that goes on running: timed from its start until the last file is there. */
function runningEntry(bench: Bench, sync: FolderSync, source: Source, tree: Tree): Entry {
  const measure = async () => {
    const from = await source()
    return withFolder(bench, sync.name, async (to) => {
      const started = performance.now()
      const running = await sync.start(from, to)
      try {
        return (await allThere(to, tree.files, { limitMs, everyMs: 5 })) - started
      } finally {
        await running.stop()
      }
    })
  }
  return { name: sync.name, peer: true, measure }
}

/** One that copies and ends. */
function commandEntry(
  bench: Bench,
  name: string,
  peer: Peer | null,
  source: Source,
  command: (from: string, to: string) => [string, readonly string[]],
): Entry {
  if (peer !== null && 'missing' in peer) return { name, peer: true, missing: peer.missing }
  const measure = async () => {
    const from = await source()
    return withFolder(bench, name, async (to) => commandMs(bench.children, ...command(from, to)))
  }
  return { name, peer: true, measure }
}

async function repository(bench: Bench, tree: Tree): Promise<string> {
  const folder = join(bench.folder, 'repository')
  mkdirSync(folder)
  writeTree(folder, tree)
  const git = (...args: string[]) => commandMs(bench.children, 'git', ['-C', folder, ...args])
  await git('init', '-q')
  await git('add', '-A')
  await git('-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '-q', '-m', 'tree')
  return folder
}

function entriesOf(bench: Bench, tree: Tree): { judged: Entry[]; others: Entry[] } {
  const { installed } = bench
  const source = lazily(async () => {
    const folder = join(bench.folder, 'source')
    mkdirSync(folder)
    writeTree(folder, tree)
    return folder
  })
  let unisons = 0
  const others = otherSyncs(bench)
    .filter((sync) => ['syncthing', 'mutagen'].includes(sync.name))
    .map((sync) => ('missing' in sync ? sync : runningEntry(bench, sync, source, tree)))
  return {
    judged: [
      ownEntry(bench, up, tree),
      ownEntry(bench, down, tree),
      commandEntry(bench, 'rsync -a', installed.rsync, source, (from, to) => [
        'rsync',
        ['-a', `${from}/`, `${to}/`],
      ]),
    ],
    others: [
      commandEntry(bench, 'unison', installed.unison, source, (from, to) =>
        unisonOnce(join(bench.folder, `unison-once-${++unisons}`), from, to),
      ),
      ...others,
      commandEntry(
        bench,
        'git clone',
        installed.git,
        lazily(() => repository(bench, tree)),
        (from, to) => ['git', ['clone', '-q', `file://${from}`, to]],
      ),
      commandEntry(bench, 'tar | tar', null, source, (from, to) => [
        'sh',
        ['-c', 'tar -C "$0" -cf - . | tar -C "$1" -xf -', from, to],
      ]),
    ],
  }
}

const goals: Goal[] = [up, down].flatMap((hub): Goal[] => {
  const way = hub === up ? 'device to runner' : 'runner to device'
  const goal = { metric: 'ms', hub }
  return [
    { ...goal, text: `first sync, ${way}: at most 2x \`rsync -a\``, over: 'rsync -a', atMost: 2 },
    { ...goal, text: `${way}: goal 1.4x`, aim: true, over: 'rsync -a', atMost: 1.4 },
    { ...goal, text: `${way}: ahead of unison`, over: 'unison', atMost: 1 },
    { ...goal, text: `${way}: ahead of syncthing`, over: 'syncthing', atMost: 1 },
    { ...goal, text: `${way}: at the goal of mutagen`, aim: true, over: 'mutagen', atMost: 1 },
  ]
})

export const syncFirst: Row = {
  name: 'sync-first',
  title: 'First sync of 13,500 files, 149 MB',
  peers: ['rsync', 'unison', 'mutagen', 'syncthing', 'git'],
  inMemory: true,
  async run(bench) {
    const tree = planTree(bench.quick ? { files: 2_700, folders: 300, bytes: 30e6 } : bigTree)
    const { judged, others } = entriesOf(bench, tree)
    const figures = await interleave(judged, bench.quick ? 1 : 3, bench.say)
    return {
      figures: [...figures, ...(await interleave(others, bench.quick ? 1 : 2, bench.say, 0))],
      goals,
      notes: [
        'Ours: the hub runs; the clock starts when both links are started, one on the tree and one on an empty folder, and stops when the last file is there; contents are compared afterwards. Syncthing and mutagen from their start in the same manner, the others from the start to the end of the command. `git clone` and `tar | tar` are there for comparison only.',
      ],
    }
  },
}
