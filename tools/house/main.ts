import { readFileSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { commandLine } from '../command-line.mjs'
import { type Measures, measuresOf } from './measures.ts'
import { comparedInWords, comparedWalks, measuresInWords, walksInWords } from './measures-in-words.ts'
import { sourcesUnder } from './source.ts'
import { sourcesOfCommit, textOfCommit } from './sources-of-commit.ts'
import { walkSizes } from './walks.ts'

const help = `npm run house                        what the source is like: sizes, folders, cycles, wide modules, words to avoid, walks
npm run house -- --against <commit>  the same beside how it was at that commit
npm run house -- --json              as JSON, with every path that is counted
`

/** The page with the walks. */
const map = 'ARCHITECTURE.md'
type House = { measures: Record<string, Measures>; walks: Record<string, number> }

const root = fileURLToPath(new URL('../..', import.meta.url))

const { json, against } = commandLine(help, (args) => {
  const { values } = parseArgs({
    args,
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      json: { type: 'boolean', default: false },
      against: { type: 'string' },
    },
  })
  return { help: values.help, json: values.json, against: values.against }
})

const now = {
  measures: measuresOf(sourcesUnder(root)),
  walks: walkSizes(readFileSync(`${root}/${map}`, 'utf8')),
}
const before = against === undefined ? null : measuredAt(against)
if (json) process.stdout.write(`${JSON.stringify(before ? { before, now } : now, null, 2)}\n`)
else if (before) {
  process.stdout.write(comparedInWords(before.measures, now.measures))
  process.stdout.write(`\n${comparedWalks(before.walks, now.walks)}`)
} else process.stdout.write(`${measuresInWords(now.measures)}\n${walksInWords(now.walks)}`)

function measuredAt(commit: string): House {
  try {
    return {
      measures: measuresOf(sourcesOfCommit(root, commit)),
      walks: walkSizes(textOfCommit(root, commit, map)),
    }
  } catch (error) {
    process.stderr.write(`No such commit here: ${commit} (${String(error)})\n`)
    process.exit(2)
  }
}
