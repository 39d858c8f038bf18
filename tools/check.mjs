import process from 'node:process'
import { parseArgs } from 'node:util'
import { commandLine } from './command-line.mjs'
import { prepare } from './prepare.mjs'

const help = `npm run check             format, lint, types, dead code, house rules
npm run check -- --fix    the same, and repairs the format and what else can be
npm run check -- --help   this
`
const options = /** @type {const} */ ({
  fix: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
})
const { fix } = commandLine(help, (args) => parseArgs({ args, options }).values)

await prepare()
const { houseRules, runChecks, sourceChecks } = await import('./checks.mjs')
const { passed, failed } = await runChecks([...sourceChecks, houseRules], { fix })
if (failed > 0 && !fix) process.stdout.write('`npm run check -- --fix` repairs the format.\n')
process.stdout.write(`${passed} passed, ${failed} failed, 0 skipped\n`)
process.exitCode = failed === 0 ? 0 : 1
