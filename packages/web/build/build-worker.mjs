import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { build } from 'vite'

/**
 * Builds the service worker into the output folder: it contains the list of all files there, and changes when one of them does.
 * @param {string} home
 * @param {string} to
 */
export async function buildWorker(home, to) {
  const entries = await readdir(to, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile() && entry.name !== 'sw.js')
    .map((entry) => path.relative(to, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .sort()
  const sum = createHash('sha256')
  for (const file of files) sum.update(`${file}\n`).update(await readFile(path.join(to, file)))
  const version = sum.digest('hex').slice(0, 12)
  // The hub serves index.html as `/`.
  const addresses = files.map((file) => (file === 'index.html' ? '/' : `/${file}`))
  await build({
    root: home,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    define: { farhandBuild: JSON.stringify({ version, files: addresses }) },
    build: {
      outDir: to,
      emptyOutDir: false,
      target: ['es2023', 'safari16'],
      modulePreload: false,
      rollupOptions: {
        input: path.join(home, 'src/service-worker/main.ts'),
        output: { entryFileNames: 'sw.js', format: 'iife' },
      },
    },
  })
}
