/** The first line that cannot be read: where it begins, and which zero byte or line feed comes first in it. */
export type UnreadLine = { at: number; first: { byte: 'line-feed' | 'zero'; at: number } | null }

/** What is known of the file. */
export type Durability = { size: number; durableBytes: number; writeBytesMax: number }

/**
 * Whether a crash can explain this unreadable line. If not, the line was damaged after it had been acknowledged, and cutting it would
 * assign ids again that readers have seen.
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
