#!/usr/bin/env node
// CommonJS on purpose: loading the first ES module starts libuv's thread pool, and its size is fixed from then on.
// The hub's flushes wait in that pool; with four threads one run's slow disk would hold up the others.
process.env.UV_THREADPOOL_SIZE ??= '16'

const { existsSync } = require('node:fs')
const { join } = require('node:path')

const start = async () => {
  const { node } = process.versions
  const [major = 0, minor = 0] = node.split('.').map(Number)
  // Before anything is loaded: an older Node stumbles over the first import it does not have.
  if (major < 20 || (major === 20 && minor < 19))
    throw new Error(`Farhand needs Node 20.19 or newer, and this is ${node}. Get one from https://nodejs.org`)
  // Asked by scripts, and by installers that check for it: nothing else has to be loaded, or built, for that.
  if (process.argv.length === 3 && ['--version', '-V'].includes(process.argv[2] ?? ''))
    return void process.stdout.write(`${require('../package.json').version}\n`)
  // Where the command is installed what a shell asks at every Tab lies in a small file of its own.
  const quick = join(__dirname, '../dist/complete.cjs')
  if (process.argv[2] === 'complete' && process.argv[3] === '--' && existsSync(quick))
    return void require(quick)
  const { program } = require('../build/program.cjs')
  const { runProgram } = require('../build/run-program.cjs')
  // A name for each of those that go on running: what one of them never uses the other need not read. What all the
  // other commands use is little of either, and must not become what the next start of one of these gets to read.
  const word = process.argv[2] ?? ''
  const name = { start: 'hub', daemon: 'device' }[word] ?? word
  const goesOn = ['hub', 'link', 'runner', 'agent', 'device'].includes(name)
  runProgram(await program(), goesOn ? name : 'link', goesOn)
}

// Only what keeps the program from being loaded: once it runs it tells its own troubles.
start().catch((error) => {
  const isMissing = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(error.code)
  const [first] = error.message.split(/ imported from |\n/)
  const sentence = isMissing
    ? `A package is missing: run \`npm install\`, or install farhand again. (${first})`
    : error.message
  process.stderr.write(`${process.env.FARHAND_DEBUG ? error.stack : sentence}\n`)
  process.exitCode = 1
})
