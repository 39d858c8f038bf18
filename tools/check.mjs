import process from 'node:process'
import { prepare } from './prepare.mjs'

const args = process.argv.slice(2)
const unknown = args.find((arg) => arg !== '--fix')
if (unknown !== undefined) {
  process.stderr.write(
    `npm run check does not know ${unknown}; it takes --fix (format and repair what can be).\n`,
  )
  process.exit(2)
}

await prepare()
const { houseRules, runChecks, sourceChecks } = await import('./checks.mjs')
const { passed, failed } = await runChecks([...sourceChecks, houseRules], { fix: args.includes('--fix') })
if (failed > 0 && !args.includes('--fix'))
  process.stdout.write('`npm run check -- --fix` repairs the format.\n')
process.stdout.write(`${passed} passed, ${failed} failed, 0 skipped\n`)
process.exitCode = failed === 0 ? 0 : 1
