import process from 'node:process'
import { commandLine } from './command-line.mjs'
import { prepare, root } from './prepare.mjs'
import { seedOfCommit } from './testing/seed-of-commit.mjs'
import { help, readArgs } from './testing/test-args.mjs'

const { long, seed, name, notesTimes, paths } = commandLine(help, readArgs)
// Only the environment passes this on to the configuration of vitest and to the processes that it starts.
if (long) process.env.FARHAND_LONG = '1'
const chosen = seed ?? (long ? undefined : String(seedOfCommit(root)))
if (chosen !== undefined) process.env.FARHAND_SEED = chosen
if (!process.stdout.isTTY && !process.env.FORCE_COLOR) process.env.NO_COLOR = '1'

await prepare()
const { takeOwnPlace } = await import('./testing/own-place.mjs')
const ownPlace = takeOwnPlace()
const { runChecks, sourceChecks } = await import('./checks.mjs')
const partly = paths.length > 0 || name !== undefined
const checks = partly ? { passed: 0, failed: 0 } : await runChecks(sourceChecks)
const { runTests } = await import('./testing/run-tests.mjs')
const { noteTimes } = await import('./testing/test-times.mjs')
if (chosen !== undefined) process.stdout.write(`what tests leave to chance has the seed ${chosen}\n`)
const tests = await runTests(paths, name, ownPlace)
if (notesTimes) noteTimes(tests.seconds)

const skipped = [...tests.skipped]
if (partly) for (const { name } of sourceChecks) skipped.push(`${name}: left out, only a part was asked for`)

for (const line of skipped) process.stdout.write(`skipped: ${line}\n`)
if (tests.leftOut > 0) process.stdout.write(`skipped: ${tests.leftOut} tests: left out by -t\n`)
for (const line of tests.failed) process.stdout.write(`failed: ${line}\n`)
const failed = checks.failed + tests.failed.length
process.stdout.write(
  `${checks.passed + tests.passed} passed, ${failed} failed, ${skipped.length + tests.leftOut} skipped\n`,
)
// A handle that a test left open must not keep the command from ending, nor hide a failure.
process.exit(failed === 0 ? 0 : 1)
