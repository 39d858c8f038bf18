import { join } from 'node:path'
import { redisAnswers } from '../load/answers.ts'
import { batchExchange, type Encoding } from '../load/batches.ts'
import { ratePerSecond } from '../load/in-flight.ts'
import { event } from '../payload.ts'
import { newRun, startHub } from '../peers/hub.ts'
import { startRedis, xadd } from '../peers/redis.ts'
import { type Entry, interleave } from '../rounds.ts'
import type { Goal, Row } from '../row.ts'

const connections = 64
const perBatch = 100

export const batches: Row = {
  name: 'batches',
  title: 'Durable append in stamped batches of 100, 64 in flight',
  peers: ['redis'],
  async run(bench) {
    const { children, folder, installed, quick } = bench
    const rounds = quick ? 3 : 7
    const ms = quick ? 1_500 : 3_000
    const hub = await startHub(bench, join(folder, 'hub'))
    const run = await newRun(hub)

    async function hubRate(encoding: Encoding) {
      const rate = await ratePerSecond(batchExchange(run, connections, perBatch, encoding), ms)
      return { 'events/s': rate * perBatch }
    }

    const entries: Entry[] = [
      { name: 'hub, NDJSON', measure: () => hubRate('NDJSON') },
      { name: 'hub, JSON array', measure: () => hubRate('JSON array') },
    ]
    if ('missing' in installed.redis) entries.push({ name: 'redis', missing: installed.redis.missing })
    else {
      const { port } = await startRedis(children, folder)
      const request = [xadd('run', event(1))]
      const exchange = { port, connections, request: () => request, answers: redisAnswers }
      entries.push({
        name: 'redis',
        measure: async () => ({ 'events/s': await ratePerSecond(exchange, ms) }),
      })
    }
    const goal = (encoding: Encoding): Goal => ({
      text: `at least 1x redis XADD with appendfsync always, 64 in flight (${encoding})`,
      metric: 'events/s',
      hub: `hub, ${encoding}`,
      over: 'redis',
      atLeast: 1,
    })
    return {
      figures: await interleave(entries, rounds, bench.say),
      goals: [goal('NDJSON'), goal('JSON array')],
      notes: [
        `${connections} connections to one run, each a producer of its own, one batch of ${perBatch} in flight on each; redis has one stream and ${connections} connections with one XADD in flight on each.`,
      ],
    }
  },
}
