// SQLite takes 32,766 parameters a statement and PostgreSQL 65,535.
const rowsPerQuery = 1000

/** The items in as many as one query takes. Others get their turn in between: a query holds up the whole process. */
export async function* portions<Item>(items: readonly Item[]): AsyncGenerator<Item[]> {
  for (let at = 0; at < items.length; at += rowsPerQuery) {
    if (at > 0) await new Promise(setImmediate)
    yield items.slice(at, at + rowsPerQuery)
  }
}
