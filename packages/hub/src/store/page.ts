import { malformed } from '@farhand/protocol/wire/faults'
import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely'

/** Which page of a collection the caller wants. */
export type Page = { cursor?: string | undefined; limit: number }

/** One page, newest first; `next` is null on the last one. */
export type Paged<Item> = { items: Item[]; next: string | null }

/** How a collection is sorted: by the column `by` of its table and then by id, the highest first. Its rows have `by` as `as`. */
type Order<As extends string> = {
  table: 'projects' | 'tasks' | 'runs' | 'acp_tasks' | 'schedules' | 'occurrences'
  by: string
  as: As
  /** A cursor is the place of a row as text: new rows do not shift it. */
  cursor: { read: RegExp; write: (by: string | number, id: string) => string }
}

/** The newest first, by the column that numbers the rows. */
export const newestOf = (table: Order<'nth'>['table'], by = 'nth'): Order<'nth'> => ({
  ...{ table, by, as: 'nth' },
  cursor: { read: /^(\d{1,15})\.(\w{1,80})$/, write: (nth, id) => `${nth}.${id}` },
})

/** The newest first, by the time of creation: for rows that are numbered within several parents. */
export const newestByTime = (table: 'projects' | 'runs'): Order<'created_at'> => ({
  ...{ table, by: 'created_at', as: 'created_at' },
  cursor: { read: /^#([\w:.-]{0,40}) (\w{1,80})$/, write: (at, id) => `#${at} ${id}` },
})

/** Whether this is the cursor of a page by number. */
export const isByNumber = ({ cursor }: Page): boolean =>
  cursor !== undefined && /^\d/.test(Buffer.from(cursor, 'base64url').toString('latin1'))

/** Runs by their last activity. A run that becomes active meanwhile moves to the top. */
export const latestRuns: Order<'active_at'> = {
  ...{ table: 'runs', by: 'active_at', as: 'active_at' },
  cursor: { read: /^@([\w:.-]{0,40}) (\w{1,80})$/, write: (at, id) => `@${at} ${id}` },
}

/** The occurrences of a schedule by when they were due. */
export const latestOccurrences: Order<'due_at'> = {
  ...{ table: 'occurrences', by: 'due_at', as: 'due_at' },
  cursor: latestRuns.cursor,
}

/** Reads the page of a query after the cursor, sorted, and makes an item of each row. */
export async function readPage<D, T extends keyof D, As extends string, Row extends Placed<As>, Item>(
  query: SelectQueryBuilder<D, T, Row>,
  { table, by, as, cursor }: Order<As>,
  page: Page,
  item: (row: Row) => Item,
): Promise<Paged<Item>> {
  const [column, id] = [sql.ref(`${table}.${by}`), sql.ref(`${table}.id`)]
  const after = page.cursor === undefined ? null : placeOf(page.cursor, as, cursor.read)
  const rest = after && query.where(sql<SqlBool>`(${column}, ${id}) < (${after.by}, ${after.id})`)
  const sorted = (rest ?? query).orderBy(column, 'desc').orderBy(id, 'desc')
  // One more than is shown says whether there is a next page.
  const rows = (await sorted.limit(page.limit + 1).execute()) as Row[]
  const shown = rows.slice(0, page.limit)
  const last = rows.length > shown.length ? shown.at(-1) : undefined
  const next = last ? Buffer.from(cursor.write(last[as], last.id)).toString('base64url') : null
  return { items: shown.map(item), next }
}

type Placed<As extends string> = Record<As, string | number> & { id: string }

function placeOf(text: string, as: string, read: RegExp): { by: string | number; id: string } {
  const [, by, id] = read.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? []
  if (by === undefined || id === undefined)
    throw malformed('cursor', 'expected the "next" of an earlier page')
  return { by: as === 'nth' ? Number(by) : by, id }
}
