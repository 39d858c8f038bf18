import type { Author, ProducerStamp } from '@farhand/protocol/wire/event'

/** Consecutive seqs that got consecutive ids. */
type Span = { seq: number; id: number; count: number }

/** What is remembered of an idempotent producer (W7): its newest spans, oldest first. */
export type Producer = { epoch: number; nextSeq: number; spans: Span[] }
export type Producers = Map<string, Producer>

const spansKept = 64

/**
 * Whose stamps and keys these are. All runners of a run are one writer, told apart by their generation; everyone
 * else has a room of their own, so that no device can fence or answer for another.
 */
export function writerName(by: Author): string {
  if (by.kind === 'runner' || by.kind === 'hub') return by.kind
  return `${by.kind}:${by.id}`
}

/** The name a producer is remembered under. The runner's own choice of id does not matter: there is one runner. */
export function producerName(by: Author, id: string): string {
  return by.kind === 'runner' ? writerName(by) : `${writerName(by)}\n${id}`
}

/** Takes note of a stored event. The caller has checked that it follows on. */
export function rememberStamp(producers: Producers, name: string, stamp: ProducerStamp, id: number): void {
  const known = producers.get(name)
  if (known?.epoch !== stamp.epoch) {
    producers.set(name, {
      epoch: stamp.epoch,
      nextSeq: stamp.seq + 1,
      spans: [{ seq: stamp.seq, id, count: 1 }],
    })
    return
  }
  known.nextSeq = stamp.seq + 1
  const last = known.spans.at(-1)
  if (last && last.id + last.count === id) {
    last.count += 1
  } else {
    known.spans.push({ seq: stamp.seq, id, count: 1 })
    if (known.spans.length > spansKept) known.spans.shift()
  }
}

/** The ids that `count` stored events from `seq` on got, or null if that is too long ago to be remembered. */
export function idsOfStamps(known: Producer, seq: number, count: number): number[] | null {
  const ids: number[] = []
  for (const span of known.spans) {
    for (let next = seq + ids.length; ids.length < count && next < span.seq + span.count; next += 1) {
      if (next < span.seq) return null
      ids.push(span.id + next - span.seq)
    }
  }
  return ids.length === count ? ids : null
}
