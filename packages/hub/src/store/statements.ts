import { type Compilable, CompiledQuery } from 'kysely'
import type { Db } from './tables.ts'

// Statements with these numbers of parameters are built and prepared once each.
const lengths = [1, 8, 64, 256, 1000]

/** Caches SQL texts by name: for queries of few rows, building the SQL is most of the work. */
export class Statements {
  readonly #texts = new Map<string, string>()

  async run<Row>(
    db: Db,
    name: string,
    parameters: readonly unknown[],
    build: () => Compilable,
  ): Promise<Row[]> {
    let text = this.#texts.get(name)
    if (text === undefined) {
      text = build().compile().sql
      this.#texts.set(name, text)
    }
    return (await db.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))).rows
  }
}

/** Repeats the last item up to the next fixed length, so that lookups use one of a few statements. */
export function padded<Item>(items: readonly Item[]): Item[] {
  const length = lengths.find((one) => one >= items.length) ?? items.length
  const all = [...items]
  while (all.length < length) all.push(items.at(-1)!)
  return all
}

// SQLite takes 32,766 parameters a statement and PostgreSQL 65,535.
const rowsPerQuery = 1000

/** Splits items into portions for one query each. Other work gets its turn in between, as a query blocks the whole process. */
export async function* portions<Item>(items: readonly Item[]): AsyncGenerator<Item[]> {
  for (let at = 0; at < items.length; at += rowsPerQuery) {
    if (at > 0) await new Promise(setImmediate)
    yield items.slice(at, at + rowsPerQuery)
  }
}
