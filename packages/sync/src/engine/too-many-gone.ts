/** Fewer than this is what people delete in a day's work. */
const few = 10

/**
 * Whether so much has gone at once that a person has to be asked before it goes everywhere (S13): everything, or more
 * than half of a folder that is not tiny.
 */
export function tooManyGone(gone: number, of: number): 'emptied' | 'half' | null {
  if (gone >= 3 && gone >= of) return 'emptied'
  return gone >= few && gone * 2 > of ? 'half' : null
}
