import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'

/** The runner's note about the agent's folder in this sandbox. */
const PlaceNote = z.object({
  /** The id of this place among all in which agents of the run have worked. */
  place: z.string(),
  /** The last runner that hosted the agent here. */
  generation: z.number(),
  /** The event of the memory that was restored here last; 0 for none. */
  restored: z.number(),
  /** The newest rewind at that time (W39), or 0. */
  rewoundAt: z.number(),
  /** The restored session, and the last event it knows; null once the agent was briefed about the rest. */
  untold: z.object({ sessionId: z.string(), since: z.number() }).nullable(),
})
export type PlaceNote = z.infer<typeof PlaceNote>

/** Null if no agent has worked here, or the note cannot be read: then the files here are not relied on. */
export function readPlace(file: string): PlaceNote | null {
  try {
    return PlaceNote.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

/** Replaces the whole note atomically. */
export function writePlace(file: string, note: PlaceNote): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.draft`, JSON.stringify(note), { mode: 0o600 })
  renameSync(`${file}.draft`, file)
}
