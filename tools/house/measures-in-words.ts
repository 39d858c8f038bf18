import { type Measures, mostImports, mostInFolder } from './measures.ts'

type House = Readonly<Record<string, Measures>>

/** What is shown of each measure: of a list, how many there are. */
const rows: readonly { name: string; of: (measures: Measures) => number }[] = [
  { name: 'lines', of: ({ lines }) => lines },
  { name: 'lines of tests', of: ({ testLines }) => testLines },
  { name: 'files', of: ({ files }) => files },
  { name: 'folders', of: ({ folders }) => folders },
  { name: 'median file', of: ({ medianLines }) => medianLines },
  { name: 'p95 file', of: ({ p95Lines }) => p95Lines },
  { name: 'largest file', of: ({ largest }) => largest.count },
  { name: `folders over ${mostInFolder} files`, of: ({ crowdedFolders }) => crowdedFolders.length },
  { name: 'folders in cycles', of: ({ folderCycles }) => folderCycles.flat().length },
  { name: 'files in cycles', of: ({ fileCycles }) => fileCycles.flat().length },
  { name: `files over ${mostImports} imports`, of: ({ wideModules }) => wideModules.length },
  { name: 'small, one caller', of: ({ smallWithOneCaller }) => smallWithOneCaller },
  { name: 'vague words', of: ({ vagueWords }) => vagueWords },
  { name: 'methods by hand', of: ({ methodsByHand }) => methodsByHand },
  { name: 'messages by hand', of: ({ messagesByHand }) => messagesByHand },
]

/** A column for each package, and below it what stands out. */
export function measuresInWords(house: House): string {
  const names = Object.keys(house)
  const table = rows.map(({ name, of }) => [name, ...names.map((one) => of(house[one]!))])
  return `${inColumns([['', ...names], ...table])}\n${listed(house.all!)}`
}

/** All packages together, before and now. */
export function comparedInWords(before: House, now: House): string {
  const table = rows.map(({ name, of }) => {
    const [was, is] = [of(before.all!), of(now.all!)]
    return [name, was, is, was === 0 ? '' : `${is > was ? '+' : ''}${Math.round((is / was - 1) * 100)} %`]
  })
  return `${inColumns([['', 'before', 'now', ''], ...table])}\n${listed(now.all!)}`
}

type WalkSizes = Readonly<Record<string, number>>

/** How many files pass on a prompt, a file, an answer. */
export function walksInWords(now: WalkSizes): string {
  return `files that pass on:\n${inColumns(Object.entries(now).map(([name, files]) => [`  ${name}`, files]))}`
}

/** The same beside an earlier commit, at which there may have been no such walk. */
export function comparedWalks(before: WalkSizes, now: WalkSizes): string {
  const rows = Object.entries(now).map(([name, files]) => [`  ${name}`, before[name] ?? '-', files])
  return inColumns([['files that pass on:', 'before', 'now'], ...rows])
}

function listed({ crowdedFolders, wideModules }: Measures): string {
  const folders = crowdedFolders.map(({ path, count }) => `  ${String(count).padStart(3)} files    ${path}\n`)
  const modules = wideModules.map(({ path, count }) => `  ${String(count).padStart(3)} imports  ${path}\n`)
  return [...folders, ...modules].join('')
}

function inColumns(table: readonly (readonly (string | number)[])[]): string {
  const widths = table[0]!.map((_, at) => Math.max(...table.map((row) => String(row[at]).length)))
  return table
    .map((row) => {
      const cells = row.map((cell, at) =>
        at === 0 ? String(cell).padEnd(widths[at]!) : String(cell).padStart(widths[at]!),
      )
      return `${cells.join('  ').trimEnd()}\n`
    })
    .join('')
}
