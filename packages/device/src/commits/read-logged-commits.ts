import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { readLog } from '@farhand/client/follow/read-log'
import type { CallOptions } from '@farhand/client/requests/call'
import type { Hub } from '@farhand/client/requests/hub'
import type { RunAddress } from '@farhand/protocol/wire/routes'
import { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { isAboutCommits, LoggedCommits } from './logged-commits.ts'

/**
 * Reads what the log says about commits. The needed events are cached in `place`, so that a long log is read only once.
 */
export async function readLoggedCommits(
  hub: Hub,
  at: RunAddress,
  place: string,
  options: CallOptions,
): Promise<LoggedCommits> {
  const file = path.join(place, 'events')
  const { cursor, events } = read(file)
  let newest = cursor
  for await (const event of readLog(hub, at, { ...options, after: cursor })) {
    newest = event.id
    if (isAboutCommits(event)) events.push(event)
  }
  const log = new LoggedCommits()
  for (const event of events) log.take(event)
  if (newest > cursor) save(file, { cursor: newest, events })
  return log
}

type Kept = { cursor: number; events: SeenEvent[] }

function read(file: string): Kept {
  try {
    const { cursor, events } = JSON.parse(readFileSync(file, 'utf8')) as { cursor: number; events: unknown[] }
    if (!Number.isSafeInteger(cursor)) throw new Error('no cursor')
    return { cursor, events: events.map((event) => SeenEvent.parse(event)) }
  } catch {
    // Missing or invalid: the log is read from its beginning.
    return { cursor: 0, events: [] }
  }
}

function save(file: string, kept: Kept): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, JSON.stringify(kept), { mode: 0o600 })
  renameSync(draft, file)
}
