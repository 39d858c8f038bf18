import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { commandLine } from '../command-line.mjs'
import { type Measures, measuresOf } from './measures.ts'
import { comparedInWords, measuresInWords } from './measures-in-words.ts'
import { sourcesUnder } from './source.ts'
import { sourcesOfCommit } from './sources-of-commit.ts'

const help = `npm run house                        what the source is like: sizes, folders, cycles, wide modules, words to avoid
npm run house -- --against <commit>  the same beside how it was at that commit
npm run house -- --json              as JSON, with every path that is counted
`

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

const now = measuresOf(sourcesUnder(root))
const before = against === undefined ? null : measuredAt(against)
if (json) process.stdout.write(`${JSON.stringify(before ? { before, now } : now, null, 2)}\n`)
else process.stdout.write(before ? comparedInWords(before, now) : measuresInWords(now))

function measuredAt(commit: string): Record<string, Measures> {
  try {
    return measuresOf(sourcesOfCommit(root, commit))
  } catch (error) {
    process.stderr.write(`No such commit here: ${commit} (${String(error)})\n`)
    process.exit(2)
  }
}
