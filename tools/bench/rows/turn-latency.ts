import { join } from 'node:path'
import { Road } from '../load/road.ts'
import { StdioAgent } from '../load/stdio-agent.ts'
import { type Talks, type TurnTimes, turnsOfAll } from '../load/turn-times.ts'
import { hubInMemory } from '../peers/links.ts'
import { agentOf, startHosted } from '../peers/runners.ts'
import { interleave } from '../rounds.ts'
import type { Bench, Figures, Goal, Row, Sample } from '../row.ts'
import { median, percentile } from '../statistics.ts'

const counts = [1, 10, 50]
/** How often each run gets a message: the one alone ten times a second, many once a second each. */
const everyMs = (count: number) => Math.min(1_000, count * 100)
/** Messages in a round, in all runs together, and what each run gets at the least. */
const inAll = { full: 120, quick: 50, each: 10 }
/** Of the agents by themselves only the middle is needed. */
const stdioShare = 0.4

const nameOf = (count: number) => (count === 1 ? '1 run' : `${count} runs`)

/** The road's times, and by how much they exceed the middle of what the agents take by themselves. */
function summary(road: readonly TurnTimes[], stdio: readonly TurnTimes[]): Sample {
  const first = road.map(({ firstMs }) => firstMs)
  const alone = stdio.map(({ firstMs }) => firstMs)
  const whole = road.map(({ wholeMs }) => wholeMs)
  const floor = median(alone)
  return {
    'stdio p50 ms': floor,
    'stdio p99 ms': percentile(alone, 0.99),
    'road p50 ms': percentile(first, 0.5),
    'road p99 ms': percentile(first, 0.99),
    'added p50 ms': percentile(first, 0.5) - floor,
    'added p99 ms': percentile(first, 0.99) - floor,
    'whole turn p50 ms': percentile(whole, 0.5),
  }
}

/** As many as are asked for, begun a few at a time, one turn behind each so that it is there and warm. */
class Company<One extends Talks> {
  readonly #begin: (n: number) => Promise<One>
  readonly all: One[] = []

  constructor(begin: (n: number) => Promise<One>) {
    this.#begin = begin
  }

  async grow(count: number): Promise<readonly One[]> {
    while (this.all.length < count) {
      const some = Array.from({ length: Math.min(4, count - this.all.length) }, (_, n) => this.all.length + n)
      this.all.push(...(await Promise.all(some.map(this.#begin))))
    }
    for (const one of this.all) await one.turn('say "ready"')
    return this.all
  }
}

async function figuresOf(bench: Bench): Promise<Figures[]> {
  const hub = await hubInMemory(bench)
  const roads = new Company(async (n) => {
    const { at } = await startHosted(bench, hub, `run-${n}`)
    return new Road(hub, at)
  })
  const agents = new Company((n) => {
    const [command, ...args] = agentOf(bench)
    const child = bench.children.start(command, args, { pipes: 'both' })
    return StdioAgent.begin(child, join(bench.folder, `stdio-${n}`))
  })
  const figures: Figures[] = []
  try {
    for (const count of counts) {
      bench.say(`starting ${nameOf(count)}`)
      const [road, stdio] = [await roads.grow(count), await agents.grow(count)]
      const each = Math.max(inAll.each, Math.ceil((bench.quick ? inAll.quick : inAll.full) / count))
      const measure = async () => {
        const times = await turnsOfAll(road, each, everyMs(count))
        return summary(times, await turnsOfAll(stdio, Math.ceil(each * stdioShare), everyMs(count)))
      }
      figures.push(...(await interleave([{ name: nameOf(count), measure }], bench.quick ? 1 : 3, bench.say)))
    }
    return figures
  } finally {
    for (const road of roads.all) road.close()
  }
}

const goalsOf = (count: number): Goal[] => [
  {
    text: `added p50 at most 8 ms with ${nameOf(count)}`,
    metric: 'added p50 ms',
    hub: nameOf(count),
    atMost: 8,
    unit: 'ms',
  },
  {
    text: `added p99 at most 25 ms with ${nameOf(count)}`,
    metric: 'added p99 ms',
    hub: nameOf(count),
    atMost: 25,
    unit: 'ms',
  },
]

export const turnLatency: Row = {
  name: 'turn-latency',
  title: 'From a message to the first word of the answer',
  peers: [],
  inMemory: true,
  async run(bench) {
    return {
      figures: await figuresOf(bench),
      goals: counts.flatMap(goalsOf),
      notes: [
        'One hub, and for each run a runner with the rehearsal agent, real processes of the built command, and a client that follows all runs and sends each a message now and then: one run alone ten a second, more than one about one a second each, so that fifty runs get fifty a second. Road: from before the message is posted to the first word of the answer with the client. Stdio: as many agents of the same kind, spoken to over their pipes by the bench itself, at the same pace. Added: what the road takes more than the middle (p50) of that. Every process has answered one message before it is measured, and the first round is not counted.',
      ],
    }
  },
}
