import { jsonArray, ndjson } from '../payload.ts'
import type { HubRun } from '../peers/hub.ts'
import { httpAnswers } from './answers.ts'
import { type Exchange, keepInFlight } from './in-flight.ts'
import { head } from './post.ts'

export type Encoding = 'NDJSON' | 'JSON array'

let producers = 0

/**
 * Batches with producer stamps, one producer a connection: events of one producer must arrive in order, and
 * connections overtake each other.
 */
export function batchExchange(
  run: HubRun,
  connections: number,
  perBatch: number,
  encoding: Encoding,
): Exchange & { request(connection: number): readonly Buffer[] } {
  const body = encoding === 'NDJSON' ? ndjson(perBatch) : jsonArray(perBatch)
  const type = encoding === 'NDJSON' ? 'application/x-ndjson' : 'application/json'
  const lanes = Array.from({ length: connections }, () => ({ id: `bench-${++producers}`, seq: 0 }))
  return {
    port: run.post.port,
    connections,
    answers: httpAnswers,
    request(connection) {
      const lane = lanes[connection]!
      const stamp = {
        'Content-Type': type,
        'Producer-Id': lane.id,
        'Producer-Epoch': run.generation,
        'Producer-Seq': lane.seq,
      }
      lane.seq += perBatch
      return [head(run.post, body.length, stamp), body]
    },
  }
}

/** Fills a run as fast as the hub takes it. */
export async function fill(
  run: HubRun,
  events: number,
  say: (text: string) => void = () => {},
): Promise<void> {
  const perBatch = Math.min(1000, events)
  const exchange = batchExchange(run, 4, perBatch, 'NDJSON')
  let left = Math.ceil(events / perBatch)
  let told = performance.now()
  await keepInFlight({
    ...exchange,
    request(connection) {
      if (performance.now() - told > 2_000) {
        told = performance.now()
        say(
          `${(events - left * perBatch).toLocaleString('en-US')} of ${events.toLocaleString('en-US')} events stored`,
        )
      }
      return left-- > 0 ? exchange.request(connection) : null
    },
  })
}
