import { bundleWorker } from '../../kit/build/bundle-worker.mjs'

const entry = new URL('../src/blobs/worker.ts', import.meta.url)

/** The program of the thread that puts blobs together. @param {import('esbuild').Plugin[]} [plugins] */
export const workerBundle = (plugins = []) => bundleWorker(entry, { minify: true, plugins })
