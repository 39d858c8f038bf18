import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const entry = path.join(path.dirname(fileURLToPath(import.meta.url)), '../src/access/passwords/worker.ts')
const library = 'hash-wasm'

/** A thread that is started from a text finds no libraries: this one is put into it. @type {import('esbuild').Plugin} */
const libraryInside = {
  name: 'library inside',
  setup: ({ onResolve }) => {
    onResolve({ filter: new RegExp(`^${library}$`) }, () => {
      const folder = path.dirname(createRequire(import.meta.url).resolve(`${library}/package.json`))
      return { path: path.join(folder, 'dist/index.esm.min.js'), sideEffects: false }
    })
  },
}

/**
 * The program of the thread that hashes passwords, as one text that a Worker can run.
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
    plugins: [libraryInside, ...plugins],
  })
  return outputFiles[0]?.text ?? ''
}
