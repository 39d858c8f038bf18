import { jsonArray, ndjson } from '../payload.ts'
import type { HubRun } from '../peers/hub.ts'
import { httpAnswers } from './answers.ts'
import { type Exchange, keepInFlight } from './in-flight.ts'
import { head } from './post.ts'

export type Encoding = 'NDJSON' | 'JSON array'

/** The one runner of a run: its events are numbered, and the hub takes them in order only (W7, W8). */
export type Producer = { run: HubRun; seq: number }

/** Stamped batches, each producer on a connection of its own: two connections would overtake each other. */
export function batchExchange(
  producers: readonly Producer[],
  perBatch: number,
  encoding: Encoding,
): Exchange & { request(connection: number): readonly Buffer[] } {
  const body = encoding === 'NDJSON' ? ndjson(perBatch) : jsonArray(perBatch)
  const type = encoding === 'NDJSON' ? 'application/x-ndjson' : 'application/json'
  return {
    port: producers[0]!.run.post.port,
    connections: producers.length,
    answers: httpAnswers,
    request(connection) {
      const producer = producers[connection]!
      const stamp = {
        'Content-Type': type,
        'Producer-Id': 'runner',
        'Producer-Epoch': producer.run.generation,
        'Producer-Seq': producer.seq,
      }
      producer.seq += perBatch
      return [head(producer.run.post, body.length, stamp), body]
    },
  }
}

/** Fills a new run as fast as the hub takes it. */
export async function fill(
  run: HubRun,
  events: number,
  say: (text: string) => void = () => {},
): Promise<void> {
  const perBatch = Math.min(1000, events)
  const exchange = batchExchange([{ run, seq: 0 }], perBatch, 'NDJSON')
  let left = Math.ceil(events / perBatch)
  let told = performance.now()
  await keepInFlight({
    ...exchange,
    depth: 4,
    request(connection) {
      if (performance.now() - told > 2_000) {
        told = performance.now()
        const stored = events - left * perBatch
        say(`${stored.toLocaleString('en-US')} of ${events.toLocaleString('en-US')} events stored`)
      }
      return left-- > 0 ? exchange.request(connection) : null
    },
  })
}
