import { spawn } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, homedir, tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { commandLine } from './command-line.mjs'
import { root } from './prepare.mjs'
import { onInterrupt } from './processes/on-interrupt.mjs'
import { secondsSince } from './processes/progress.mjs'
import { runChild } from './processes/run-child.mjs'
import { markStarted } from './testing/left-running.mjs'

const help = `node tools/bare-runs.mjs                 runs npm test ten times in a row, each time as on a machine without any preparation
node tools/bare-runs.mjs --rounds 3      three times
node tools/bare-runs.mjs --abreast 2     two rounds at a time, each of which is load for the other
node tools/bare-runs.mjs --load 0        without busy programs beside it (default: one for each core)
node tools/bare-runs.mjs --keep out      keeps what each round printed in the folder "out"

Each round clones what is committed here into a new folder and runs .ci/run there with an empty home and an empty npm
cache. It fails if a test fails or is skipped, or if a process or a file is left behind outside the clone.
`

const { rounds, abreast, load, keep } = commandLine(help, (args) => {
  const { values } = parseArgs({
    args,
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      rounds: { type: 'string', default: '10' },
      abreast: { type: 'string', default: '1' },
      load: { type: 'string', default: String(availableParallelism()) },
      keep: { type: 'string' },
    },
  })
  const number = (/** @type {'rounds' | 'abreast' | 'load'} */ name, least = 0) => {
    const given = Number(values[name])
    if (!Number.isInteger(given) || given < least)
      throw new Error(`--${name} takes a whole number from ${least}.`)
    return given
  }
  const counts = { rounds: number('rounds', 1), abreast: number('abreast', 1), load: number('load') }
  return { help: values.help, ...counts, keep: values.keep }
})

// All rounds test the same commit, even if another one is made meanwhile.
const commit = (await git('rev-parse', 'HEAD')).output.trim()
process.stdout.write(`${rounds} rounds of ${commit.slice(0, 8)}\n`)
const place = realpathSync(mkdtempSync(path.join(tmpdir(), 'fhb-')))
// Tests that run as an ordinary user have their temporary files below it.
chmodSync(place, 0o755)
onInterrupt(() => rmSync(place, { recursive: true, force: true }))
if (keep !== undefined) mkdirSync(keep, { recursive: true })
const busy = Array.from({ length: load }, keepCoreBusy)
let bad = 0
let begun = 0
await Promise.all(Array.from({ length: abreast }, runRoundsInTurn))
for (const one of busy) one.kill()
rmSync(place, { recursive: true, force: true })
process.stdout.write(`${rounds - bad} of ${rounds} rounds were green and left nothing behind\n`)
process.exit(bad === 0 ? 0 : 1)

async function runRoundsInTurn() {
  while (begun < rounds) {
    const round = ++begun
    const began = Date.now()
    const { last, troubles } = await runRound(round)
    if (troubles.length > 0) bad++
    process.stdout.write(`round ${round}: ${last} in ${secondsSince(began)}\n`)
    for (const trouble of troubles) process.stdout.write(`  ${trouble}\n`)
  }
}

/** A busy program that competes with the tests for the processor, and ends with this process. */
function keepCoreBusy() {
  const burn =
    "process.stdin.on('end', () => process.exit()).resume(); setInterval(() => { for (const end = Date.now() + 50; Date.now() < end; ); }, 60)"
  return spawn(process.execPath, ['-e', burn], { stdio: ['pipe', 'ignore', 'ignore'] })
}

/** @param {number} round */
async function runRound(round) {
  const here = path.join(place, String(round))
  const folder = (/** @type {string} */ name) => path.join(here, name)
  const [clone, home, temporary] = [folder('clone'), folder('home'), folder('t')]
  for (const one of [home, temporary]) mkdirSync(one, { recursive: true })
  for (const step of [
    ['clone', '--quiet', '--no-checkout', root, clone],
    ['-C', clone, 'reset', '--quiet', '--hard', commit],
  ]) {
    const { code, output } = await git(...step)
    if (code !== 0) return { last: `git ${step.join(' ')} failed`, troubles: [output] }
  }
  // The mark is in the environment of this process until the next round sets another: no await before the child is started.
  const leftRunning = markStarted(here)
  const { code, output } = await runChild('bash', [path.join(clone, '.ci/run')], {
    cwd: clone,
    env: { ...bareEnvironment(), HOME: home, TMPDIR: temporary, npm_config_cache: folder('npm-cache') },
    patienceMs: 10_000,
  })
  if (keep !== undefined) writeFileSync(path.join(keep, `round-${round}.txt`), output)
  const lines = output.trimEnd().split('\n')
  const last = lines.findLast((line) => /^\d+ passed, \d+ failed, \d+ skipped$/.test(line)) ?? 'no last line'
  const troubles = lines.filter((line) => /^(?:failed|skipped): /.test(line))
  if (code !== 0) troubles.push(`.ci/run ended with ${code}`)
  for (const command of await leftRunning()) troubles.push(`still running: ${command.slice(0, 200)}`)
  for (const name of readdirSync(temporary)) troubles.push(`left in the folder for temporary files: ${name}`)
  for (const name of readdirSync(home)) troubles.push(`left in the home: ${name}`)
  rmSync(here, { recursive: true, force: true })
  return { last, troubles }
}

/** @param {string[]} args */
function git(...args) {
  return runChild('git', args, { cwd: root, patienceMs: 1000 })
}

/** Only the variables that a machine needs to reach a registry, and its language. */
function bareEnvironment() {
  const kept = /^(?:PATH|LANG|LC_\w+|TERM|CI|FARHAND_TEST_RUN|(?:HTTPS?|NO)_PROXY|.*CERT.*|.*_CA_.*)$/i
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => kept.test(name)))
  const settings = registrySettings()
  return settings === null ? env : { ...env, npm_config_userconfig: settings }
}

/** The user's npm settings, if there are any: they may name the only registry that this machine reaches. */
function registrySettings() {
  const file = path.join(homedir(), '.npmrc')
  try {
    return /registry/.test(readFileSync(file, 'utf8')) ? file : null
  } catch {
    return null
  }
}
