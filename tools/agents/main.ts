import process from 'node:process'
import { parseArgs } from 'node:util'
import { agentsUnderTest } from '../../packages/testkit/src/real-agents/agents-under-test.ts'
import { installAgent, isInstalled } from '../../packages/testkit/src/real-agents/install-agent.ts'
import { commandLine } from '../command-line.mjs'
import { endDescendants } from '../end-descendants.mjs'
import { explain } from '../npm-trouble.mjs'
import { onInterrupt } from '../on-interrupt.mjs'
import { withProgress } from '../progress.mjs'
import { runTests } from '../tests.mjs'

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

const forget = onInterrupt(endDescendants)
for (const agent of agentsUnderTest) {
  if (!wanted.includes(agent.id) || isInstalled(agent)) continue
  const versions = Object.entries(agent.packages).map(([name, version]) => `${name} ${version}`)
  await withProgress(`Installing ${versions.join(', ')}`, () => installAgent(agent)).catch((error) =>
    process.stderr.write(`${explain(String(error.message))}\n`),
  )
}

forget()

// The configuration of vitest has no other way to learn it.
process.env.FARHAND_AGENTS = wanted.join(' ')
const tests = await runTests(['--config', 'tools/agents/vitest.config.ts'], undefined)
for (const line of tests.skipped) process.stdout.write(`skipped: ${line}\n`)
for (const line of tests.failed) process.stdout.write(`failed: ${line}\n`)
process.stdout.write(
  `${tests.passed} passed, ${tests.failed.length} failed, ${tests.skipped.length} skipped\n`,
)
process.exit(tests.failed.length === 0 ? 0 : 1)
