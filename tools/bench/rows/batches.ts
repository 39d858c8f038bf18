import { join } from 'node:path'
import { redisAnswers } from '../load/answers.ts'
import { batchExchange, type Encoding, type Producer } from '../load/batches.ts'
import { ratePerSecond } from '../load/in-flight.ts'
import { event } from '../payload.ts'
import { lastEventId, newRun, startHub } from '../peers/hub.ts'
import { startRedis, xadd } from '../peers/redis.ts'
import { type Entry, interleave } from '../rounds.ts'
import type { Bench, Goal, Row } from '../row.ts'

const inFlight = 64
const perBatch = 100

/** Measures, and checks that what was acknowledged is in the logs: a batch taken for a repeat would be quick. */
function contender(
  name: string,
  producers: readonly Producer[],
  encoding: Encoding,
  depth: number,
  ms: number,
): Entry {
  return {
    name,
    async measure() {
      const rate = await ratePerSecond({ ...batchExchange(producers, perBatch, encoding), depth }, ms)
      for (const { run, seq } of producers) {
        const stored = await lastEventId(run)
        if (stored < seq) throw new Error(`${stored} events are stored of ${seq} that were acknowledged`)
      }
      return { 'events/s': rate * perBatch }
    },
  }
}

async function entriesOf(bench: Bench, ms: number): Promise<Entry[]> {
  const { children, folder, installed } = bench
  const hub = await startHub(bench, join(folder, 'hub'))
  const one: Producer[] = [{ run: await newRun(hub), seq: 0 }]
  const many: Producer[] = []
  while (many.length < inFlight) many.push({ run: await newRun(hub), seq: 0 })
  const entries = [
    contender('hub, 64 runs, NDJSON', many, 'NDJSON', 1, ms),
    contender('hub, 64 runs, JSON array', many, 'JSON array', 1, ms),
    contender('hub, one run, NDJSON', one, 'NDJSON', inFlight, ms),
  ]
  if ('missing' in installed.redis)
    entries.push({ name: 'redis', peer: true, missing: installed.redis.missing })
  else {
    const { port } = await startRedis(children, folder)
    const request = [xadd('run', event(1))]
    const exchange = { port, connections: inFlight, request: () => request, answers: redisAnswers }
    entries.push({
      name: 'redis',
      peer: true,
      measure: async () => ({ 'events/s': await ratePerSecond(exchange, ms) }),
    })
  }
  return entries
}

export const batches: Row = {
  name: 'batches',
  title: 'Durable append in stamped batches of 100, 64 in flight',
  peers: ['redis'],
  async run(bench) {
    const ms = bench.quick ? 1_000 : 2_000
    const entries = await entriesOf(bench, ms)
    const goal = (hub: string, how: string): Goal => ({
      text: `at least 1x redis XADD, appendfsync always, 64 in flight (${how})`,
      metric: 'events/s',
      hub,
      over: 'redis',
      atLeast: 1,
    })
    return {
      figures: await interleave(entries, bench.quick ? 3 : 5, bench.say),
      goals: [goal('hub, 64 runs, NDJSON', '64 runs'), goal('hub, one run, NDJSON', 'one run')],
      notes: [
        `Runners number their events and send one batch of ${perBatch} at a time, so ${inFlight} in flight are ${inFlight} runs with a runner each. With one run, its runner pipelines ${inFlight} batches on one connection. After each round the logs are checked to hold what was acknowledged.`,
        `redis has one stream and ${inFlight} connections with one XADD of one event in flight on each.`,
      ],
    }
  },
}
