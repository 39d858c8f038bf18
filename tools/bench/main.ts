import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Children } from './children.ts'
import { machineFacts } from './machine.ts'
import { helpText, type Options, readOptions } from './options.ts'
import { installPeers } from './peers/install.ts'
import { remarksOf } from './remarks.ts'
import { endedWell, type Result, report, verdicts } from './report.ts'
import type { Bench, Row } from './row.ts'
import { rows } from './rows.ts'
import { makeScratch } from './scratch.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const cache = join(root, '.cache')
const limitMs = 45 * 60_000
const started = performance.now()
let running: Children | null = null
let leaving = false

function say(text: string): void {
  const seconds = ((performance.now() - started) / 1000).toFixed(0).padStart(4)
  process.stderr.write(`${seconds} s  ${text}\n`)
}

async function measure(row: Row, bench: Omit<Bench, 'folder' | 'children' | 'say'>, home: string) {
  const folder = join(home, row.name)
  mkdirSync(folder)
  const children = new Children(folder)
  running = children
  try {
    return await row.run({ ...bench, folder, children, say: (text) => say(`${row.name}: ${text}`) })
  } finally {
    await children.stopAll()
    running = null
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Where a row's data lies. The hub's own rows need a disk, and what is called the temporary folder may be memory, so
 * theirs is below the cache; those that ask for memory get it where the system has some to lend.
 */
function makeHomes() {
  const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  const homes = {
    disk: makeScratch(join(cache, 'bench')),
    memory: makeScratch(join(memory, 'farhand-bench')),
  }
  for (const home of Object.values(homes)) process.on('exit', home.remove)
  return { disk: homes.disk.folder, memory: homes.memory.folder }
}

async function run(options: Options): Promise<boolean> {
  const chosen = rows.filter((row) => options.only === null || options.only.includes(row.name))
  const homes = makeHomes()
  const remarks = remarksOf(
    readFileSync(new URL('remarks.md', import.meta.url), 'utf8'),
    rows.map((row) => row.name),
  )
  const installed = await installPeers(cache, new Set(chosen.flatMap((row) => row.peers)), say)
  const machine = machineFacts(homes.disk, installed)
  const hubEntry = options.hub ?? join(root, 'packages/farhand/bin/farhand.cjs')
  const results: Result[] = []
  let whole = true
  for (const row of chosen) {
    say(`${row.name}: ${row.title}`)
    try {
      const home = row.inMemory ? homes.memory : homes.disk
      const outcome = await measure(row, { quick: options.quick, hubEntry, installed }, home)
      if (leaving) return false
      const remark = remarks.get(row.name)
      results.push({ row, outcome, ...(remark !== undefined && { remark }) })
      for (const verdict of verdicts(outcome)) {
        const missed = verdict.aim ? 'not yet' : 'MISSED'
        const word = verdict.reached === null ? 'skipped' : verdict.reached ? 'reached' : missed
        say(`${row.name}: ${word}: ${verdict.goal}: ${verdict.measured}`)
      }
      if (!endedWell(outcome) && remark === undefined) {
        say(`${row.name}: tools/bench/remarks.md says nothing yet of what stands in the way`)
      }
    } catch (error) {
      if (leaving) return false
      whole = false
      say(`${row.name}: failed: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const text = report(results, machine, 'npm run bench', new Date().toISOString().slice(0, 10))
  if (options.only === null && !options.quick && options.hub === null && whole) {
    writeFileSync(join(root, 'BENCHMARKS.md'), text)
    say('BENCHMARKS.md is written')
  } else {
    process.stdout.write(text)
    say('BENCHMARKS.md is left alone: only a run of all rows, in full, writes it')
  }
  return whole && results.every(({ outcome }) => endedWell(outcome))
}

async function leave(why: string): Promise<never> {
  leaving = true
  say(`${why}: ending what was started`)
  await running?.stopAll()
  process.exit(1)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void leave(signal))
setTimeout(() => void leave(`not done after ${limitMs / 60_000} minutes`), limitMs).unref()
process.on('exit', () => running?.signalAll())

try {
  const options = readOptions(
    process.argv.slice(2),
    rows.map((row) => row.name),
  )
  if (options.help) process.stdout.write(helpText(rows))
  else process.exitCode = (await run(options)) ? 0 : 1
} catch (error) {
  say(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
