#!/usr/bin/env node
// CommonJS on purpose: loading the first ES module starts libuv's thread pool, and its size is fixed from then on.
// The hub's flushes wait in that pool; with four threads one run's slow disk would hold up the others.
process.env.UV_THREADPOOL_SIZE ??= '16'

const start = async () => {
  const { program } = await import('../build/program.mjs')
  await import(await program())
}

// Only what keeps the program from being loaded: once it runs it tells its own troubles.
start().catch((error) => {
  process.stderr.write(`${process.env.FARHAND_DEBUG ? error.stack : error.message}\n`)
  process.exitCode = 1
})
