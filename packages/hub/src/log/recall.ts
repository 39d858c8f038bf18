import type { Earlier } from './admit.ts'
import type { Stretch } from './event-log.ts'
import { producerName } from './producers.ts'
import { decodeLine } from './stored-line.ts'

const chunkBytes = 1024 * 1024

/** Looks up in the log itself which ids a producer's old events got (W7): slow, and rarely asked for. */
export async function recall(
  sought: Exclude<Earlier, number[]>,
  read: (after: number, maxBytes: number) => Promise<Stretch | null>,
): Promise<number[]> {
  const ids: number[] = []
  // Every seq took an id of its own, so event `seq` cannot stand before line `seq + 1`.
  let after = sought.seq
  while (ids.length < sought.count) {
    const stretch = await read(after, chunkBytes)
    if (!stretch) throw new Error(`seq ${sought.seq + ids.length} of ${sought.producer} is not in the log`)
    for (const line of stretch.bytes.toString().split('\n')) {
      const event = line === '' ? null : decodeLine(line)
      const stamp = event?.producer
      if (!stamp || stamp.epoch !== sought.epoch || stamp.seq !== sought.seq + ids.length) continue
      if (producerName(event.by, stamp.id) === sought.producer && ids.length < sought.count)
        ids.push(event.id)
    }
    after = stretch.lastId
  }
  return ids
}
