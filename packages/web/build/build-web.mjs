import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { earlyRequests } from './build-early-requests.mjs'
import { buildWorker } from './build-worker.mjs'
import { compressFiles } from './compress-files.mjs'

const home = fileURLToPath(new URL('..', import.meta.url))

// In each file, because any of them may run first. Without it zod compiles schemas with `new Function`, which the security
// policy refuses and reports as an attack.
const withoutEval = 'globalThis.__zod_globalConfig ??= { jitless: true };'

/**
 * Builds the app: files named by the hash of their contents, and the service worker. Returns the source files that it
 * contains.
 * @returns {Promise<string[]>}
 */
export async function buildWeb(to = path.join(home, 'dist')) {
  const { NODE_ENV: before } = process.env
  // Tests run with another NODE_ENV, for which React would be built in its slow development mode.
  process.env.NODE_ENV = 'production'
  const built = await build({
    root: home,
    configFile: false,
    logLevel: 'error',
    plugins: [await earlyRequests(home)],
    build: {
      outDir: to,
      emptyOutDir: true,
      target: ['es2022', 'safari16'],
      modulePreload: { polyfill: false },
      // The security policy does not allow data URLs in styles.
      assetsInlineLimit: 0,
      rolldownOptions: { output: { banner: withoutEval } },
    },
  })
  await buildWorker(home, to)
  if (before === undefined) delete process.env.NODE_ENV
  else process.env.NODE_ENV = before
  await compressFiles(to)
  const { output } = /** @type {import('vite').Rolldown.RolldownOutput} */ (built)
  return output.flatMap((one) => (one.type === 'chunk' ? one.moduleIds : []))
}
