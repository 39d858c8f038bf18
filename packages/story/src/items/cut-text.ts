import { BlobMarker } from '@farhand/protocol/events/blob-marker'
import { asList, asObject, isObject } from '../values/untyped-values.ts'
import type { Cut, CutText } from './story.ts'

/** The marker for a value in a blob; null if the value is none, or if `named` lacks its blob (W24). */
export function markerOf(value: unknown, named: ReadonlySet<unknown>): BlobMarker | null {
  if (named.size === 0 || !isObject(value) || !('_blob' in value)) return null
  const marker = BlobMarker.safeParse(value).data
  return marker && named.has(marker._blob) ? marker : null
}

const ofMarker = ({ _blob: hash, size, head }: BlobMarker): CutText => ({
  text: head,
  cuts: [{ from: 0, to: head.length, hash, size }],
})

/** A text field of an event's params: the whole text, or its beginning (W24). */
export function directText(params: Record<string, unknown>, name: string): CutText | null {
  const text = params[name]
  if (typeof text !== 'string') return null
  // Fast path: nearly every text is whole, and there are very many.
  if (params.whole === undefined) return { text, cuts: noCuts }
  const marker = markerOf(asObject(params.whole)[name], new Set(asList(params.blobs)))
  return marker && !marker.json ? ofMarker(marker) : { text, cuts: noCuts }
}

/** A text anywhere else in an event; it may be a blob marker. */
export function placedText(value: unknown, params: Record<string, unknown>): CutText | null {
  if (typeof value === 'string') return { text: value, cuts: noCuts }
  const marker = markerOf(value, new Set(asList(params.blobs)))
  return marker && !marker.json ? ofMarker(marker) : null
}

export const noCuts: readonly Cut[] = []

/** Joins two texts. */
export function joinedText(first: CutText, next: CutText): CutText {
  const at = first.text.length
  const moved = next.cuts.map((cut) => ({ ...cut, from: cut.from + at, to: cut.to + at }))
  return {
    text: first.text + next.text,
    cuts: moved.length === 0 ? first.cuts : [...first.cuts, ...moved],
  }
}

/** The text as far as the log has it, with `…` for each cut. */
export const shownText = (cut: CutText): string => filled(cut, (beginning) => `${beginning} …`)

/** The whole text; cut parts are fetched. */
export async function wholeText(
  cut: CutText,
  fetchBlob: (hash: string) => Promise<Uint8Array>,
): Promise<string> {
  const contents = new Map<string, string>()
  for (const { hash } of cut.cuts) contents.set(hash, new TextDecoder().decode(await fetchBlob(hash)))
  return filled(cut, (beginning, { hash }) => contents.get(hash) ?? beginning)
}

/** How many bytes of a text are in blobs. */
export const cutBytes = ({ cuts }: CutText): number => cuts.reduce((sum, { size }) => sum + size, 0)

function filled({ text, cuts }: CutText, fill: (beginning: string, cut: Cut) => string): string {
  if (cuts.length === 0) return text
  let all = ''
  let at = 0
  for (const cut of cuts) {
    all += text.slice(at, cut.from) + fill(text.slice(cut.from, cut.to), cut)
    at = cut.to
  }
  return all + text.slice(at)
}
