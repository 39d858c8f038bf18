import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { aheadOfApp } from './build-ahead.mjs'
import { buildWorker } from './build-worker.mjs'
import { compressFiles } from './compress-files.mjs'

const home = fileURLToPath(new URL('..', import.meta.url))

// In each file, as nobody knows which is run first. Schemas would be compiled at run time, which the security policy
// refuses, and reports as an attack.
const withoutEval = 'globalThis.__zod_globalConfig ??= { jitless: true };'

/**
 * Makes the app ready to be served: names with a hash of what is in them, and the service worker beside the page. Says which
 * files it is made of.
 * @returns {Promise<string[]>}
 */
export async function buildWeb(to = path.join(home, 'dist')) {
  const { NODE_ENV: before } = process.env
  // Whoever asks for it in a test would get the slow React, which talks to itself.
  process.env.NODE_ENV = 'production'
  const built = await build({
    root: home,
    configFile: false,
    logLevel: 'error',
    plugins: [await aheadOfApp(home)],
    build: {
      outDir: to,
      emptyOutDir: true,
      target: ['es2022', 'safari16'],
      modulePreload: { polyfill: false },
      // A data address in a style would be one more thing for the security policy to allow.
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
