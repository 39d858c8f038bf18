import { bundleWorker } from '../../kit/build/bundle-worker.mjs'

const entry = new URL('../src/commands/device/worker.ts', import.meta.url)

/**
 * The program of a thread that keeps a folder in sync. It is run as if it were the program that started the thread: libraries that
 * are not in it are loaded from beside that.
 * @param {import('esbuild').Plugin[]} [plugins]
 */
export const workerBundle = (plugins = []) =>
  bundleWorker(entry, {
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'startedFrom' },
    banner: { js: `const { startedFrom } = require('node:worker_threads').workerData;` },
    plugins,
  })
