import { createRequire } from 'node:module'
import path from 'node:path'
import { bundleWorker } from '../../kit/build/bundle-worker.mjs'

const entry = new URL('../src/access/passwords/worker.ts', import.meta.url)
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

/** The program of the thread that hashes passwords. @param {import('esbuild').Plugin[]} [plugins] */
export const workerBundle = (plugins = []) =>
  bundleWorker(entry, { minify: true, plugins: [libraryInside, ...plugins] })
