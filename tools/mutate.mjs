import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { commandLine } from './command-line.mjs'
import { mutantsOf } from './mutate/mutants-of.mjs'

const help = `npm run mutate                     makes small wrong changes ("lies") in the files that decide about users' files, one at a time,
                                   and reports those that no test notices; works on a copy, takes some minutes a file
npm run mutate -- reconcile        only in the files whose path has this in it
npm run mutate -- --help           this
`

const { wanted } = commandLine(help, (args) => {
  const options = /** @type {const} */ ({ help: { type: 'boolean', short: 'h', default: false } })
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  return { ...values, wanted: positionals[0] ?? '' }
})

const root = fileURLToPath(new URL('..', import.meta.url))
/** How much longer tests may take than without a lie: after that, it counts as an endless loop. */
const patience = 5
const leastTimeoutMs = 10_000
const names = ['packages/protocol/src/files/name-tree.test.ts']
const fold = [
  'packages/protocol/src/files/path-history.test.ts',
  'packages/protocol/src/files/workspace-tree.test.ts',
  'packages/protocol/src/files/workspace-tree.fuzz.test.ts',
]
const intents = [
  'packages/protocol/src/files/file-intents.test.ts',
  'packages/protocol/src/events/plain-files.test.ts',
]
const engine = ['reconcile.test.ts', 'reconcile.fuzz.test.ts', 'trees.test.ts'].map(
  (name) => `packages/sync/src/engine/${name}`,
)
const egress = ['may-connect.test.ts', 'git-request.test.ts'].map(
  (name) => `packages/hub/src/sandboxes/egress/${name}`,
)
const drill = ['packages/sync/src/simulation/simulation.drill.test.ts']

/** The tests that have to notice; later groups run only if the earlier ones did not notice. */
const plan = new Map([
  ['packages/protocol/src/files/workspace-tree.ts', [fold]],
  ['packages/protocol/src/files/workspace-nodes.ts', [fold]],
  ['packages/protocol/src/files/name-tree.ts', [names, fold]],
  ['packages/protocol/src/files/path-history.ts', [fold]],
  ['packages/protocol/src/files/file-intents.ts', [intents]],
  ['packages/protocol/src/events/plain-files.ts', [intents]],
  ['packages/hub/src/sandboxes/egress/destination.ts', [egress]],
  ['packages/hub/src/sandboxes/egress/git-request.ts', [egress]],
  ['packages/hub/src/sandboxes/egress/is-private-address.ts', [egress]],
  ['packages/hub/src/sandboxes/egress/may-connect.ts', [egress]],
  ['packages/sync/src/engine/reconcile.ts', [engine]],
  ['packages/sync/src/engine/trees.ts', [engine, drill]],
])

const explained = readFileSync(new URL('mutate/explained.md', import.meta.url), 'utf8')

function copyOfTheHouse() {
  const copy = mkdtempSync(path.join(tmpdir(), 'mutate-'))
  for (const name of ['package.json', 'vitest.config.ts', 'tsconfig.json'])
    if (existsSync(path.join(root, name))) cpSync(path.join(root, name), path.join(copy, name))
  for (const name of readdirSync(path.join(root, 'packages')))
    cpSync(path.join(root, 'packages', name), path.join(copy, 'packages', name), {
      recursive: true,
      filter: (from) => !from.includes('node_modules') && !from.includes(`${path.sep}.cache`),
    })
  mkdirSync(path.join(copy, 'node_modules', '@farhand'), { recursive: true })
  for (const name of readdirSync(path.join(root, 'node_modules')))
    if (name !== '@farhand' && name !== 'farhand')
      symlinkSync(path.join(root, 'node_modules', name), path.join(copy, 'node_modules', name))
  for (const name of readdirSync(path.join(copy, 'packages')))
    symlinkSync(path.join(copy, 'packages', name), path.join(copy, 'node_modules', '@farhand', name))
  return copy
}

/** @param {string} copy @param {readonly string[]} tests @param {number} timeoutMs @returns {Promise<boolean>} */
async function pass(copy, tests, timeoutMs) {
  const vitest = fileURLToPath(new URL('mutate/bare-vitest.mjs', import.meta.url))
  const outfile = path.join(copy, 'bundle.mjs')
  const isBuilt = await build({
    stdin: {
      contents: [
        ...tests.map((test) => `import './${test}'`),
        `import { run } from 'vitest'`,
        'await run()',
        'process.exit()',
      ].join('\n'),
      resolveDir: copy,
    },
    alias: { vitest },
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['zod', 'fast-check', '@vitest/expect'],
    outfile,
    logLevel: 'silent',
  }).then(
    () => true,
    () => false,
  )
  if (!isBuilt) return false
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [outfile], { cwd: copy, stdio: 'ignore' })
    // An endless loop counts as noticed, too.
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
    child.on('exit', (code) => {
      clearTimeout(timer)
      resolve(code === 0)
    })
  })
}

const copy = copyOfTheHouse()
const survivors = []
let told = 0
let isOutdated = false
try {
  /** @type {Map<readonly string[], number>} */
  const timeouts = new Map()
  for (const [file, stages] of plan) {
    if (!file.includes(wanted)) continue
    for (const tests of stages.filter((tests) => !timeouts.has(tests))) {
      const began = Date.now()
      if (!(await pass(copy, tests, 60 * leastTimeoutMs))) throw new Error(`without any lie ${tests} fail`)
      timeouts.set(tests, Math.max(leastTimeoutMs, patience * (Date.now() - began)))
    }
    const source = readFileSync(path.join(root, file), 'utf8')
    const mutants = mutantsOf(source)
    let unnoticed = 0
    let excused = 0
    const began = Date.now()
    for (const { start, end, to, line, name } of mutants) {
      told += 1
      writeFileSync(path.join(copy, file), source.slice(0, start) + to + source.slice(end))
      let passes = true
      for (const tests of stages) passes &&= await pass(copy, tests, timeouts.get(tests) ?? leastTimeoutMs)
      if (!passes) continue
      const lie = `${path.basename(file)}: ${name}`
      const isExplained = explained.includes(`\`${lie}\``)
      unnoticed += 1
      if (isExplained) excused += 1
      else survivors.push(lie)
      console.log(`${isExplained ? 'explained ' : 'UNNOTICED '} ${file}:${line} ${lie}`)
    }
    writeFileSync(path.join(copy, file), source)
    const took = Math.round((Date.now() - began) / 1000)
    console.log(`${file}: ${mutants.length - unnoticed} of ${mutants.length} lies noticed (${took} s)`)
    const outdated = explained.split(`\`${path.basename(file)}: `).length - 1 - excused
    if (outdated > 0)
      console.log(`OUTDATED   ${outdated} explanations of lies that are noticed or no longer told`)
    isOutdated ||= outdated > 0
  }
} finally {
  rmSync(copy, { recursive: true, force: true })
}
console.log(`${told} lies told, ${survivors.length} neither noticed nor explained`)
process.exitCode = survivors.length > 0 || isOutdated ? 1 : 0
