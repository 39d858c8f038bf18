import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const entry = path.join(path.dirname(fileURLToPath(import.meta.url)), '../src/disk/worker.ts')

/**
 * The program of the disk's own thread as one text that a Worker can run, with everything it needs in it. A library
 * that can only be loaded from a file is asked for beside the program that started the thread.
 * @param {import('esbuild').Plugin[]} [plugins]
 * @param {string} [from]
 * @returns {Promise<string>}
 */
export async function workerBundle(plugins = [], from = entry) {
  const { outputFiles } = await build({
    entryPoints: [from],
    write: false,
    logLevel: 'silent',
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    define: { 'import.meta.url': 'startedFrom' },
    banner: { js: `const startedFrom = require('node:worker_threads').workerData.startedFrom;` },
    plugins,
  })
  return outputFiles[0]?.text ?? ''
}
