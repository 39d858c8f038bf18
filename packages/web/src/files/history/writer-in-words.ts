import type { SeenAuthor } from '@farhand/protocol/wire/seen-event'
import { authorInWords } from '../../text/author-in-words.ts'

/** Who wrote a file, by the name of their computer where the log tells it. */
export const writerInWords = (by: SeenAuthor, names: ReadonlyMap<string, string>): string =>
  (by.kind === 'device' && names.get(by.id)) || authorInWords(by)
