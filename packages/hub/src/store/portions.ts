// SQLite takes 32,766 parameters a statement and PostgreSQL 65,535.
const rowsPerQuery = 1000

/** Splits items into portions for one query each. Other work gets its turn in between, as a query blocks the whole process. */
export async function* portions<Item>(items: readonly Item[]): AsyncGenerator<Item[]> {
  for (let at = 0; at < items.length; at += rowsPerQuery) {
    if (at > 0) await new Promise(setImmediate)
    yield items.slice(at, at + rowsPerQuery)
  }
}
