import { lazily } from '../lazily.ts'
import { Road } from '../load/road.ts'
import { turnsOfAll } from '../load/turn-times.ts'
import { residentBytes } from '../peers/hub.ts'
import { hubInMemory } from '../peers/links.ts'
import { startHosted } from '../peers/runners.ts'
import { type Entry, interleave } from '../rounds.ts'
import type { Bench, Row, Sample } from '../row.ts'
import { percentile } from '../statistics.ts'

const quiet = 'nothing else'
const flooded = 'with 10,000 chunks/s beside it'
const perSecond = 10_000
const everyMs = 100
const mib = 1024 * 1024

/** What a neighbour notices: messages to another run of the same hub, ten a second for so long. */
async function neighbour(road: Road, seconds: number): Promise<Sample> {
  const times = await turnsOfAll([road], (seconds * 1000) / everyMs, everyMs)
  const first = times.map(({ firstMs }) => firstMs)
  return { 'p50 ms': percentile(first, 0.5), 'p99 ms': percentile(first, 0.99) }
}

/** The memory of a process while `work` goes on: the most in the second quarter of that time, and in the last. */
async function memoryDuring<T>(
  pid: number,
  work: Promise<T>,
): Promise<{ early: number; late: number; result: T }> {
  const seen: number[] = []
  const timer = setInterval(() => seen.push(residentBytes(pid)), 50)
  const result = await work.finally(() => clearInterval(timer))
  const quarter = Math.floor(seen.length / 4)
  const most = (from: number) => Math.max(...seen.slice(from * quarter, (from + 1) * quarter)) / mib
  return { early: most(1), late: most(3), result }
}

/** How many of the numbered chunks are not in the text, or not once, or not in their place. */
function wrong(text: string, chunks: number): number {
  const numbers = [...text.matchAll(/chunk (\d+) of/g)].map(([, number]) => Number(number))
  return Math.abs(chunks - numbers.length) + numbers.filter((number, at) => number !== at + 1).length
}

function entriesOf(bench: Bench): Entry[] {
  const seconds = bench.quick ? 5 : 15
  const hub = lazily(() => hubInMemory(bench))
  const hosted = async (name: string) => {
    const { runner, at } = await startHosted(bench, await hub(), name)
    const road = new Road(await hub(), at)
    await road.turn('say "ready"')
    return { runner, road }
  }
  const other = lazily(() => hosted('other'))
  const loud = lazily(() => hosted('loud'))
  return [
    { name: quiet, measure: async () => neighbour((await other()).road, seconds) },
    {
      name: flooded,
      async measure() {
        const { runner, road } = await loud()
        const { road: beside } = await other()
        const chunks = seconds * perSecond
        const flood = memoryDuring(runner.pid, road.read(`say ${chunks} chunks at ${perSecond} a second`))
        // Within the flood: what comes after it would make its figures look better.
        const noticed = await neighbour(beside, seconds - 2)
        const { early, late, result } = await flood
        return {
          ...noticed,
          'chunks/s': chunks / (result.wholeMs / 1000),
          'wrong chunks': wrong(result.text, chunks),
          'runner MiB early': early,
          'runner MiB late': late,
        }
      },
    },
  ]
}

export const turnFlood: Row = {
  name: 'turn-flood',
  title: 'An agent that says 10,000 chunks a second',
  peers: [],
  inMemory: true,
  async run(bench) {
    return {
      figures: await interleave(entriesOf(bench), bench.quick ? 1 : 3, bench.say),
      goals: [
        {
          text: 'no chunk lost, doubled or misplaced',
          metric: 'wrong chunks',
          hub: flooded,
          worst: true,
          atMost: 0,
        },
        { text: 'all of them as fast as they are said', metric: 'chunks/s', hub: flooded, atLeast: 9_500 },
        {
          text: "the runner's memory stays: late at most 1.1x early",
          metric: 'runner MiB late',
          hub: flooded,
          over: flooded,
          overMetric: 'runner MiB early',
          atMost: 1.1,
        },
        {
          text: 'the hub does not stall: p99 of a neighbour at most 3x of its p99 without the flood',
          metric: 'p99 ms',
          hub: flooded,
          over: quiet,
          atMost: 3,
        },
      ],
      notes: [
        'The rehearsal agent says numbered chunks of 20 bytes at that pace, each of them an update of its own, through a runner and the hub to a client that reads them all. Beside it another run of the same hub gets ten messages a second; its figures are those from a message to the first word of its answer. Memory is the highest RSS of the runner in the second quarter of the time, and in the last.',
      ],
    }
  },
}
