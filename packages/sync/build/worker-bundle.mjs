import { bundleWorker } from '../../kit/build/bundle-worker.mjs'

const entry = new URL('../src/disk/worker.ts', import.meta.url)

/**
 * The program of the disk's own thread, with everything it needs in it. A library that can only be loaded from a file is asked for
 * beside the program that started the thread.
 * @param {import('esbuild').Plugin[]} [plugins]
 */
export const workerBundle = (plugins = []) =>
  bundleWorker(entry, {
    minify: true,
    define: { 'import.meta.url': 'startedFrom' },
    banner: { js: `const startedFrom = require('node:worker_threads').workerData.startedFrom;` },
    plugins,
  })
