import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import type { PlaceNote } from './available-session.ts'

const Note = z.object({
  place: z.string(),
  generation: z.number(),
  restored: z.number(),
  rewoundAt: z.number(),
  untold: z.object({ sessionId: z.string(), since: z.number() }).nullable(),
})

/** Null if no agent has worked here, or the note cannot be read: then the files here are not relied on. */
export function readPlace(file: string): PlaceNote | null {
  try {
    return Note.parse(JSON.parse(readFileSync(file, 'utf8')))
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
