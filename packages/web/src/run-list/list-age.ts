import { agoInWords } from '@farhand/story/wording/ago-in-words'
import type { RunList } from './run-list-source.ts'

/** How old the list is, for the user; null while it is live. */
export function listAge(
  { asOf, isLive, isLoading, trouble }: Pick<RunList, 'asOf' | 'isLive' | 'isLoading' | 'trouble'>,
  nowMs: number,
): string | null {
  if (isLive && trouble === null) return null
  const why = trouble ?? (isLoading ? 'Asking the hub' : 'No connection')
  if (asOf === null) return `${why}.`
  const ago = agoInWords(new Date(asOf).toISOString(), nowMs)
  return `${why}. Last updated ${ago === 'now' ? 'a moment ago' : inSentence(ago)}.`
}

const inSentence = (ago: string) => (/^\d+ (min|h|d)$/.test(ago) ? `${ago} ago` : `on ${ago}`)
