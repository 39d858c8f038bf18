import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/**
 * The program of a thread as one text that a Worker can run.
 * @param {URL} entry
 * @param {import('esbuild').BuildOptions} [more] what this program needs besides
 * @returns {Promise<string>}
 */
export async function bundleWorker(entry, more = {}) {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(entry)],
    write: false,
    logLevel: 'silent',
    bundle: true,
    minifyWhitespace: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    ...more,
  })
  return outputFiles?.[0]?.text ?? ''
}
