import { type Compilable, CompiledQuery, type Kysely } from 'kysely'
import type { Tables } from './tables.ts'

// Statements of these lengths are written and prepared once each.
const lengths = [1, 8, 64, 256, 1000]

/** SQL that was put together once and is run again with other parameters: for a few rows that is most of the work. */
export class Statements {
  readonly #texts = new Map<string, string>()

  async run<Row>(
    db: Kysely<Tables>,
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

/** Repeats the last one until there are as many as in one of a few statements; for lists that are looked up. */
export function padded<Item>(items: readonly Item[]): Item[] {
  const length = lengths.find((one) => one >= items.length) ?? items.length
  const all = [...items]
  while (all.length < length) all.push(items.at(-1)!)
  return all
}
