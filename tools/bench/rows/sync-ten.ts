import { lazily } from '../lazily.ts'
import { editLatencies } from '../load/edits.ts'
import { type Pair, settledPair } from '../load/settled-pair.ts'
import { planTree, smallTree } from '../load/tree.ts'
import { farhand, hubInMemory } from '../peers/links.ts'
import { type Entry, interleave } from '../rounds.ts'
import type { Bench, Row, Sample } from '../row.ts'
import { percentile } from '../statistics.ts'

const one = 'farhand, one run'
const ten = 'farhand, ten runs'
const runs = 10
const pauseMs = 40

/** The same number of changes a second in all, however many pairs share them; half of them in each direction. */
async function changesIn(pairs: readonly Pair[], count: number): Promise<Sample> {
  const each = Math.ceil(count / pairs.length)
  const latencies = await Promise.all(
    pairs.map(({ a, b, files }, n) => {
      const [from, to] = n % 2 === 0 ? [a, b] : [b, a]
      return editLatencies({ from, to, files, count: each, pauseMs: pauseMs * pairs.length, limitMs: 10_000 })
    }),
  )
  const all = latencies.flat()
  return { 'p50 ms': percentile(all, 0.5), 'p99 ms': percentile(all, 0.99) }
}

function entriesOf(bench: Bench, count: number): Record<'alone' | 'together', Entry> {
  const tree = planTree(smallTree)
  const hub = lazily(() => hubInMemory(bench))
  const pair = async (n: number) => settledPair(bench.folder, `run-${n}`, farhand(bench, await hub()), tree)
  const first = lazily(() => pair(0))
  const all = lazily(async () => {
    const pairs = [await first()]
    while (pairs.length < runs) pairs.push(await pair(pairs.length))
    return pairs
  })
  return {
    alone: { name: one, measure: async () => changesIn([await first()], count) },
    together: { name: ten, measure: async () => changesIn(await all(), count) },
  }
}

export const syncTen: Row = {
  name: 'sync-ten',
  title: 'Ten runs linked at once',
  peers: [],
  inMemory: true,
  async run(bench) {
    const rounds = bench.quick ? 1 : 3
    const { alone, together } = entriesOf(bench, bench.quick ? 60 : 200)
    // Not in turns: the one run is measured while it is the only one.
    const figures = [
      ...(await interleave([alone], rounds, bench.say)),
      ...(await interleave([together], rounds, bench.say)),
    ]
    return {
      figures,
      goals: [
        {
          text: 'ten runs linked at once: the same p50 within 2x',
          metric: 'p50 ms',
          hub: ten,
          over: one,
          atMost: 2,
        },
      ],
      notes: [
        'One hub and twenty links. Changes of 2 KB in all ten runs at the same time, each at a tenth of the pace that the one run alone was measured at, five runs in each direction.',
      ],
    }
  },
}
