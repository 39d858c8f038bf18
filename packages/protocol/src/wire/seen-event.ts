import { z } from 'zod'
import { Author, StoredEvent } from './event.ts'

const knownKinds = new Set<string>(Author.options.map((option) => option.shape.kind.value))

/** An author of a kind that only a newer hub knows. Folds treat it as one that acts for a user. */
const OtherAuthor = z
  .looseObject({ kind: z.string(), id: z.string().optional() })
  .refine(({ kind }) => !knownKinds.has(kind))
  .transform(({ kind, id }) => ({ kind: 'other' as const, said: kind, id: id ?? kind }))

/** The author of an event, as far as this version knows its kind (W27). */
export const SeenAuthor = z.union([Author, OtherAuthor])
export type SeenAuthor = z.infer<typeof SeenAuthor>

/**
 * A stored event as readers parse it. The hub writes `StoredEvent`; a reader that accepted only the authors it knows
 * would request the same line for ever once the hub is newer than itself.
 */
export const SeenEvent = StoredEvent.extend({ by: SeenAuthor })
export type SeenEvent = z.infer<typeof SeenEvent>
