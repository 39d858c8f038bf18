import type { SeenAuthor } from '@farhand/protocol/wire/seen-event'
import { authorInWords } from '../../text/author-in-words.ts'

/** The author of a file version: the name of the device if the log has it. */
export const writerInWords = (by: SeenAuthor, names: ReadonlyMap<string, string>): string =>
  (by.kind === 'device' && names.get(by.id)) || authorInWords(by)
