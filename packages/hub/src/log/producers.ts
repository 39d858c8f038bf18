import type { Author, ProducerStamp } from '@farhand/protocol/wire/event'

/** Consecutive seqs that got consecutive ids. */
type Span = { seq: number; id: number; count: number }

/** The state of an idempotent producer (W7), with its newest spans, oldest first. */
export type Producer = { epoch: number; nextSeq: number; spans: Span[] }
export type Producers = Map<string, Producer>

const spansKept = 64

/**
 * The owner of stamps and keys. All runners of a run are one writer, told apart by their generation. Every user and device is a separate
 * writer, so that no device can fence another or use its keys.
 */
export function writerName(by: Author): string {
  if (by.kind === 'runner' || by.kind === 'hub') return by.kind
  return `${by.kind}:${by.id}`
}

/** The name under which a producer is remembered. A runner's choice of id is ignored, as there is one runner. */
export function producerName(by: Author, id: string): string {
  return by.kind === 'runner' ? writerName(by) : `${writerName(by)}\n${id}`
}

/** Records the stamp of a stored event. The caller has checked that it is the next one. */
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

/** The ids of `count` stored events from `seq` on, or null if they are too old to be remembered. */
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
