import { Fault } from '@farhand/protocol/wire/faults'
import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely'

/** Which page of a collection the caller wants. */
export type Page = { cursor?: string | undefined; limit: number }

/** One page, newest first; `next` is null on the last one. */
export type Paged<Item> = { items: Item[]; next: string | null }

/** A position between two rows of a collection. New rows do not shift it. */
type Place = { nth: number; id: string }

/** Reads a cursor that `pageFrom` made; no cursor means the start, before the newest row. */
function placeOf(cursor: string | undefined): Place | null {
  if (cursor === undefined) return null
  const match = /^(\d{1,15})\.(\w{1,80})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  if (!match) throw malformedCursor()
  return { nth: Number(match[1]), id: match[2]! }
}

/** For a query of this table: newest first, only rows after the page's cursor, and one row more than its limit. `count` is the
 * column that numbers the rows. */
export function newestOf(table: 'projects' | 'tasks' | 'runs', page: Page, count = 'nth') {
  const after = placeOf(page.cursor)
  const nth = sql.ref(`${table}.${count}`)
  const id = sql.ref(`${table}.id`)
  return <Db, Table extends keyof Db, Row extends Place>(query: SelectQueryBuilder<Db, Table, Row>) => {
    const rest = after && query.where(sql<SqlBool>`(${nth}, ${id}) < (${after.nth}, ${after.id})`)
    return (rest ?? query)
      .orderBy(nth, 'desc')
      .orderBy(id, 'desc')
      .limit(page.limit + 1)
  }
}

type ActivePlace = { active_at: string; id: string }

function activePlaceOf(cursor: string | undefined): ActivePlace | null {
  if (cursor === undefined) return null
  const match = /^@([\w:.-]{0,40}) (\w{1,80})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  if (!match) throw malformedCursor()
  return { active_at: match[1]!, id: match[2]! }
}

/** As `newestOf`, for runs by their last activity. A run that becomes active meanwhile moves to the top. */
export function latestOf(page: Page) {
  const after = activePlaceOf(page.cursor)
  const [at, id] = [sql.ref('runs.active_at'), sql.ref('runs.id')]
  return <Db, Table extends keyof Db, Row extends ActivePlace>(query: SelectQueryBuilder<Db, Table, Row>) => {
    const rest = after && query.where(sql<SqlBool>`(${at}, ${id}) < (${after.active_at}, ${after.id})`)
    return (rest ?? query)
      .orderBy(at, 'desc')
      .orderBy(id, 'desc')
      .limit(page.limit + 1)
  }
}

/** Makes a page of rows that `latestOf` chose. */
export function pageOfLatest<Row extends ActivePlace, Item>(
  rows: Row[],
  page: Page,
  item: (row: Row) => Item,
): Paged<Item> {
  const shown = rows.slice(0, page.limit)
  const last = rows.length > shown.length ? shown.at(-1) : undefined
  const next = last ? Buffer.from(`@${last.active_at} ${last.id}`).toString('base64url') : null
  return { items: shown.map(item), next }
}

const malformedCursor = () =>
  new Fault('request.malformed', 'cursor: expected the "next" of an earlier page', { field: 'cursor' })

/** Makes a page of rows that `newestOf` chose. */
export function pageFrom<Row extends Place, Item>(
  rows: Row[],
  page: Page,
  item: (row: Row) => Item,
): Paged<Item> {
  const shown = rows.slice(0, page.limit)
  const last = shown.at(-1)
  const next =
    last && rows.length > shown.length ? Buffer.from(`${last.nth}.${last.id}`).toString('base64url') : null
  return { items: shown.map(item), next }
}
