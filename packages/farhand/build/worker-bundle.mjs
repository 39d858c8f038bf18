import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const entry = path.join(path.dirname(fileURLToPath(import.meta.url)), '../src/commands/device/worker.ts')

/**
 * The program of a thread that keeps a folder in sync, as one text. It is run as if it were the program that started the thread:
 * libraries that are not in it are loaded from beside that.
 * @param {import('esbuild').Plugin[]} [plugins]
 * @returns {Promise<string>}
 */
export async function workerBundle(plugins = []) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    write: false,
    logLevel: 'silent',
    bundle: true,
    minifyWhitespace: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'startedFrom' },
    banner: { js: `const { startedFrom } = require('node:worker_threads').workerData;` },
    plugins,
  })
  return outputFiles[0]?.text ?? ''
}
