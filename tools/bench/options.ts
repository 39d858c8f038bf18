import { parseArgs } from 'node:util'

export type Options = { only: string[] | null; quick: boolean; hub: string | null; help: boolean }

/** Reads the command line; throws a sentence that names the rows there are. */
export function readOptions(args: readonly string[], rowNames: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      hub: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const named = [values.only ?? '', ...positionals].join(',').split(',')
  const names = named.filter((name) => name !== '')
  const only = names.length === 0 && values.only === undefined ? null : names
  const unknown = only?.find((name) => !rowNames.includes(name))
  if (unknown !== undefined) throw new Error(`There is no row "${unknown}". Rows: ${rowNames.join(', ')}.`)
  return { only, quick: values.quick, hub: values.hub ?? null, help: values.help }
}

export function helpText(rows: readonly { name: string; title: string }[]): string {
  return [
    'npm run bench                               all rows; writes BENCHMARKS.md (about 12 minutes)',
    '                                            ends with 1 if a goal was missed or the hub failed',
    'npm run bench -- append fanout              only these rows; prints, and leaves BENCHMARKS.md alone',
    'npm run bench -- --quick                    fewer and shorter rounds; prints only',
    'npm run bench -- --hub <farhand.cjs>        measure the hub of another checkout; prints only',
    '',
    'Rows:',
    ...rows.map((row) => `  ${row.name.padEnd(14)} ${row.title}`),
    '',
  ].join('\n')
}
