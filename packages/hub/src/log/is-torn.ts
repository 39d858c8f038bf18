/** The first line that cannot be read: where it begins, and which zero byte or line feed comes first in it. */
export type UnreadLine = { at: number; first: { byte: 'line-feed' | 'zero'; at: number } | null }

/** What is known of the file around it. */
export type Durability = { size: number; durableBytes: number; writeBytesMax: number }

/**
 * Whether a crash can have left this line as it is; if not, it was damaged after it had been acknowledged, and cutting
 * it off would give ids out again that readers have seen.
 *
 * A file is only written at its end, each write durable before the next begins. So a crash leaves zeros, or nothing,
 * in place of bytes of the last write; it changes no byte that was there. (decisions/0005)
 */
export function isTorn(
  { at, first }: UnreadLine,
  { size, durableBytes, writeBytesMax }: Durability,
): boolean {
  if (at < durableBytes) return false
  if (first?.byte === 'zero') return first.at >= size - writeBytesMax
  return first === null
}
