import { setTimeout as wait } from 'node:timers/promises'
import { lazily } from '../lazily.ts'
import { burst } from '../load/burst.ts'
import { type Pair, settledPair } from '../load/settled-pair.ts'
import { syncPeer } from '../load/sync-peer.ts'
import { planTree, type Tree } from '../load/tree.ts'
import type { FolderSync } from '../peers/folder-sync.ts'
import { copier, otherSyncs, syncPeers } from '../peers/folder-syncs.ts'
import { farhand, hubInMemory } from '../peers/links.ts'
import { type Entry, interleave } from '../rounds.ts'
import type { Bench, Goal, Row, Sample } from '../row.ts'
import { median } from '../statistics.ts'

const up = 'farhand, device to runner'
const down = 'farhand, runner to device'
// Large enough that taking the 1,000 away again is not taken for an accident.
const around = { files: 2_000, folders: 200, bytes: 6e6 }

/** Several bursts after each other, with time to breathe in between; the middle counts. */
function bursts(folders: { from: string; to: string }, label: string, repetitions: number) {
  let round = 0
  return async (): Promise<Sample> => {
    round++
    const times: Awaited<ReturnType<typeof burst>>[] = []
    for (let n = 0; n < repetitions; n++) {
      await wait(100 + Math.random() * 200)
      times.push(await burst(folders.from, folders.to, `burst-${label}-${round}-${n}`))
    }
    const arrivals = times.map(({ ms }) => ms)
    return {
      ms: median(arrivals),
      'slowest ms': Math.max(...arrivals),
      'slowest deletion ms': Math.max(...times.map(({ goneMs }) => goneMs)),
    }
  }
}

function ownEntries(bench: Bench, tree: Tree, repetitions: number): Entry[] {
  const bare = lazily(() => settledPair(bench.folder, 'floor', copier(bench), tree))
  const linked = lazily(async () =>
    settledPair(bench.folder, 'farhand', farhand(bench, await hubInMemory(bench)), tree),
  )
  const entry = (name: string, pair: () => Promise<Pair>, label: 'up' | 'down', times: number): Entry => {
    const measure = lazily(async () => {
      const { a, b } = await pair()
      return bursts(label === 'up' ? { from: a, to: b } : { from: b, to: a }, label, times)
    })
    return { name, measure: async () => (await measure())() }
  }
  return [
    entry('floor', bare, 'up', Math.ceil(repetitions / 2)),
    entry(up, linked, 'up', repetitions),
    entry(down, linked, 'down', repetitions),
  ]
}

function peerEntry(bench: Bench, sync: FolderSync, tree: Tree, repetitions: number): Entry {
  return syncPeer(bench, sync, tree, async ({ a, b }) => {
    await wait(1_000)
    return await bursts({ from: a, to: b }, 'up', repetitions)()
  })
}

const goals: Goal[] = [up, down].flatMap((hub): Goal[] => {
  const way = hub === up ? 'device to runner' : 'runner to device'
  const goal = { metric: 'ms', hub }
  return [
    { ...goal, text: `${way}: at most 2.5x the floor`, over: 'floor', atMost: 2.5 },
    { ...goal, text: `${way}: goal 1.7x`, aim: true, over: 'floor', atMost: 1.7 },
    ...['unison', 'syncthing', 'mutagen'].map(
      (over): Goal => ({ ...goal, text: `${way}: ahead of ${over}`, over, atMost: 1 }),
    ),
  ]
})

export const syncBurst: Row = {
  name: 'sync-burst',
  title: '1,000 files of 4 KB in 200 new folders at once',
  peers: syncPeers,
  inMemory: true,
  async run(bench) {
    const tree = planTree(around)
    // The warm-up's repetitions are checked like the others: 50 each way.
    const [rounds, repetitions] = bench.quick ? [1, 3] : [4, 10]
    const own = await interleave(ownEntries(bench, tree, repetitions), rounds, bench.say)
    await bench.children.stopRunning()
    const peers = otherSyncs(bench).map((sync) =>
      'missing' in sync ? sync : peerEntry(bench, sync, tree, bench.quick ? 2 : 4),
    )
    return {
      figures: [...own, ...(await interleave(peers, 1, bench.say, 0))],
      goals,
      notes: [
        `From before the first write until the last of the files is in the other folder in its full length; then every byte is compared, and a file lost or wrong fails the contender: ${(rounds + 1) * repetitions} repetitions each way for us, ${bench.quick ? 2 : 4} for the others. In between the files are deleted again, and that too must arrive. In memory, in a tree of 2,000 other files.`,
      ],
    }
  },
}
