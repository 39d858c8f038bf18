import process from 'node:process'
import { parseArgs } from 'node:util'
import { agentsUnderTest } from '../../packages/testkit/src/real-agents/agents-under-test.ts'
import { commandLine } from '../command-line.mjs'
import { runTests } from '../testing/run-tests.mjs'

const ids = agentsUnderTest.map(({ id }) => id)
const help = `npm run test:agents                  installs the coding agents we know and drives them with a scripted model
npm run test:agents -- goose codex   only these, of: ${ids.join(', ')}
npm run test:agents -- --help        this
`

const { wanted } = commandLine(help, (args) => {
  const options = { help: { type: 'boolean', short: 'h', default: false } } as const
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const unknown = positionals.filter((id) => !ids.includes(id))
  if (unknown.length > 0) throw new Error(`There is no agent ${unknown.join(', ')} here.`)
  return { ...values, wanted: positionals.length > 0 ? positionals : ids }
})

// The configuration of vitest has no other way to learn it.
process.env.FARHAND_AGENTS = wanted.join(' ')
// Each test is shown when it is over: a file takes up to a quarter of an hour, and would be silent until then.
const tests = await runTests(['--project', 'agents', '--reporter', 'verbose'], undefined)
for (const line of tests.skipped) process.stdout.write(`skipped: ${line}\n`)
for (const line of tests.failed) process.stdout.write(`failed: ${line}\n`)
process.stdout.write(
  `${tests.passed} passed, ${tests.failed.length} failed, ${tests.skipped.length} skipped\n`,
)
process.exit(tests.failed.length === 0 ? 0 : 1)
