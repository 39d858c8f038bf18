import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const entry = path.join(path.dirname(fileURLToPath(import.meta.url)), '../src/blobs/worker.ts')

/**
 * The program of the thread that puts blobs together, as one text that a Worker can run.
 * @param {import('esbuild').Plugin[]} [plugins]
 * @returns {Promise<string>}
 */
export async function workerBundle(plugins = []) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    write: false,
    logLevel: 'silent',
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    plugins,
  })
  return outputFiles[0]?.text ?? ''
}
