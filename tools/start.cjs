// CommonJS for the reason given in farhand.cjs: the pool must get its size before the first ES module is loaded.
process.env.UV_THREADPOOL_SIZE ??= '16'

const start = async () => {
  const { prepare } = await import('./prepare.mjs')
  await prepare()
  process.argv.splice(2, 0, 'hub')
  require('../packages/farhand/bin/farhand.cjs')
}

start().catch((error) => {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
})
