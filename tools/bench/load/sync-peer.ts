import type { FolderSync } from '../peers/folder-sync.ts'
import type { Entry } from '../rounds.ts'
import type { Bench, Sample } from '../row.ts'
import { type Pair, settledPair } from './settled-pair.ts'
import type { Tree } from './tree.ts'

/** Another one's sync in a row. Some are slow or busy while they wait: each is started for its turn and stopped after it. */
export function syncPeer(
  bench: Bench,
  sync: FolderSync,
  tree: Tree,
  measure: (pair: Pair) => Promise<Sample>,
): Entry {
  return {
    name: sync.name,
    peer: true,
    async measure() {
      const pair = await settledPair(bench.folder, sync.name.split(' ')[0]!, sync, tree)
      try {
        return await measure(pair)
      } finally {
        await pair.running.stop()
      }
    },
  }
}
