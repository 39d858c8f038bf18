import { z } from 'zod'
import { Author, StoredEvent } from './event.ts'

const knownKinds = new Set<string>(Author.options.map((option) => option.shape.kind.value))

/** An author of a kind that a newer hub made up. Folds take it for somebody who speaks for a person. */
const OtherAuthor = z
  .looseObject({ kind: z.string(), id: z.string().optional() })
  .refine(({ kind }) => !knownKinds.has(kind))
  .transform(({ kind, id }) => ({ kind: 'other' as const, said: kind, id: id ?? kind }))

/** Who wrote an event, as far as a reader of today can tell (W27). */
export const SeenAuthor = z.union([Author, OtherAuthor])
export type SeenAuthor = z.infer<typeof SeenAuthor>

/**
 * A stored event as its readers take it. The hub writes `StoredEvent`; a reader that insisted on the authors it
 * knows would ask for the same line for ever once the hub is newer than itself.
 */
export const SeenEvent = StoredEvent.extend({ by: SeenAuthor })
export type SeenEvent = z.infer<typeof SeenEvent>
