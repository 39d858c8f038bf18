import { lazily } from '../lazily.ts'
import { type Edits, editLatencies } from '../load/edits.ts'
import { type Pair, settledPair } from '../load/settled-pair.ts'
import { syncPeer } from '../load/sync-peer.ts'
import { bigTree, planTree, smallTree, type Tree } from '../load/tree.ts'
import type { FolderSync } from '../peers/folder-sync.ts'
import { copier, otherSyncs, syncPeers } from '../peers/folder-syncs.ts'
import { farhand, hubInMemory } from '../peers/links.ts'
import { type Entry, interleave } from '../rounds.ts'
import type { Bench, Goal, Row, Sample } from '../row.ts'
import { percentile } from '../statistics.ts'

const up = 'farhand, device to runner'
const down = 'farhand, runner to device'
const inBig = ', 13,500 files'

type Way = Pick<Edits, 'from' | 'to' | 'files'>

function summary(latencies: readonly number[]): Sample {
  return { 'p50 ms': percentile(latencies, 0.5), 'p99 ms': percentile(latencies, 0.99) }
}

const forwards = ({ a, b, files }: Pair): Way => ({ from: a, to: b, files })
const backwards = ({ a, b, files }: Pair): Way => ({ from: b, to: a, files })

function peerEntry(bench: Bench, sync: FolderSync, tree: Tree, count: number): Entry {
  return syncPeer(bench, sync, tree, async (pair) => {
    // The first changes after a start still wait for scans that the start has asked for.
    const edits = { ...forwards(pair), pauseMs: 300, limitMs: 20_000 }
    await editLatencies({ ...edits, count: 2 })
    return summary(await editLatencies({ ...edits, count }))
  })
}

/** What is ours, and the floor: both are idle while others have their turn, so they stay for the whole row. */
function ownEntries(bench: Bench, count: number): Entry[] {
  const hub = lazily(() => hubInMemory(bench))
  const sizes = [
    { size: smallTree, suffix: '', label: 'small' },
    { size: bigTree, suffix: inBig, label: 'big' },
  ]
  return sizes.flatMap(({ size, suffix, label }) => {
    const tree = planTree(size)
    const bare = lazily(() => settledPair(bench.folder, `floor-${label}`, copier(bench), tree))
    const linked = lazily(async () =>
      settledPair(bench.folder, `farhand-${label}`, farhand(bench, await hub()), tree),
    )
    const entry = (name: string, of: typeof bare, way: (pair: Pair) => Way): Entry => ({
      name: name + suffix,
      async measure() {
        const edits = { ...way(await of()), count, pauseMs: 40, limitMs: 5_000 }
        return summary(await editLatencies(edits))
      },
    })
    return [entry('floor', bare, forwards), entry(up, linked, forwards), entry(down, linked, backwards)]
  })
}

const goals: Goal[] = [up, down].flatMap((hub): Goal[] => {
  const p50 = { metric: 'p50 ms', hub }
  const way = hub === up ? 'device to runner' : 'runner to device'
  return [
    { ...p50, text: `one change, ${way}: p50 at most 6x the floor`, over: 'floor', atMost: 6 },
    { ...p50, text: `${way}: goal 4x`, aim: true, over: 'floor', atMost: 4 },
    {
      text: `${way}: p99 at most 12x the floor's p50`,
      metric: 'p99 ms',
      overMetric: 'p50 ms',
      hub,
      over: 'floor',
      atMost: 12,
    },
    {
      ...p50,
      text: `${way}: at least 20x faster than syncthing at its shortest delay`,
      over: 'syncthing',
      atMost: 1 / 20,
    },
    {
      ...p50,
      text: `${way}: in a 13,500-file tree at most 1.2x of a small one`,
      hub: hub + inBig,
      over: hub,
      atMost: 1.2,
    },
  ]
})

export const syncLatency: Row = {
  name: 'sync-latency',
  title: 'One change of 2 KB, from one folder to the other',
  peers: syncPeers,
  inMemory: true,
  async run(bench) {
    const count = bench.quick ? 40 : 100
    const own = await interleave(ownEntries(bench, count), bench.quick ? 1 : 3, bench.say)
    await bench.children.stopRunning()
    const tree = planTree(smallTree)
    const peers = otherSyncs(bench).map((sync) =>
      'missing' in sync ? sync : peerEntry(bench, sync, tree, bench.quick ? 5 : 10),
    )
    const figures = [...own, ...(await interleave(peers, 1, bench.say, 0))]
    return {
      figures,
      goals,
      notes: [
        `From before the write of 2 KB over a file to the moment a watcher on the other folder finds its new bytes there; the same observer for everyone. ${count} changes a round after random pauses of 5 to 45 ms, for the slow ones 10 changes in all, after up to 300 ms. Everything lies in memory, the hub's log too.`,
        'The floor is a copier in one process: a watch on each folder, read, write beside the target, rename. Syncthing watches with a delay of 0.01 s, mutagen polls every second, unison looks every second where its package has no fsmonitor; lsyncd goes one way only. The peers are measured in the small tree of 100 files.',
      ],
    }
  },
}
