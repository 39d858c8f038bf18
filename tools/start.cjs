// CommonJS on purpose: loading the first ES module starts libuv's thread pool, and its size is fixed from then on.
// The hub's flushes wait in that pool; four threads would make one run's slow disk everybody's.
process.env.UV_THREADPOOL_SIZE ??= '16'

const start = async () => {
  const { prepare } = await import('./prepare.mjs')
  await prepare()
  const { register } = await import('tsx/esm/api')
  register()
  process.argv.splice(2, 0, 'hub')
  await import('../packages/farhand/src/main.ts')
}

start()
