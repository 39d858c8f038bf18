import type { BlobHash } from '@farhand/protocol/wire/blob-hash'
import type { ProjectId } from '@farhand/protocol/wire/ids'
import type { Statements } from './statements.ts'
import type { Db } from './tables.ts'

type NewRow = {
  project: ProjectId
  hash: BlobHash
  size: number
  place?: { segment: number; start: number } | null
  /** In ms since 1970. */
  usedAt: number
}

// Long statements take long to prepare. With these fixed lengths each is prepared only once.
const rowCounts = [100, 10, 1]
// A statement blocks the whole process; other work gets its turn after this many rows.
const rowsPerTurn = 500

/** Inserts rows for blobs of projects. An existing row is only renewed; its place is not changed. */
export async function insertBlobs(db: Db, statements: Statements, blobs: readonly NewRow[]): Promise<void> {
  // Sorted, so that neighbours in the index are written together.
  const rows = once(blobs).sort((a, b) => (a.hash < b.hash ? -1 : 1))
  const times = new Map<number, string>()
  for (const { usedAt } of rows) if (!times.has(usedAt)) times.set(usedAt, new Date(usedAt).toISOString())
  let sinceTurn = 0
  for (let at = 0; at < rows.length; ) {
    const count = rowCounts.find((some) => some <= rows.length - at)!
    const parameters: unknown[] = []
    for (const { project, hash, size, place, usedAt } of rows.slice(at, at + count))
      parameters.push(project, hash, size, times.get(usedAt), 0, place?.segment ?? null, place?.start ?? null)
    await statements.run(db, `insert ${count}`, parameters, () => insert(db, count))
    at += count
    sinceTurn += count
    if (sinceTurn < rowsPerTurn) continue
    sinceTurn = 0
    await new Promise(setImmediate)
  }
}

/** PostgreSQL refuses to touch one row twice in a statement. */
function once(blobs: readonly NewRow[]): NewRow[] {
  const rows = new Map<string, NewRow>()
  for (const blob of blobs) rows.set(`${blob.project} ${blob.hash}`, blob)
  return [...rows.values()]
}

const example = {
  project_id: '' as ProjectId,
  hash: '' as BlobHash,
  size: 0,
  used_at: '',
  kept: 0,
  segment: 0,
  start: 0,
} as const

const insert = (db: Db, count: number) =>
  db
    .insertInto('blobs')
    .values(Array.from({ length: count }, () => example))
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'hash'])
        .doUpdateSet(({ ref }) => ({ used_at: ref('excluded.used_at') }))
        .whereRef('blobs.used_at', '<', 'excluded.used_at'),
    )
