import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder = fileURLToPath(new URL('../dist', import.meta.url))
const main = path.join(folder, 'main.js')
const inputs = path.join(folder, 'inputs.json')

/**
 * The command in one file, made anew when a source has changed since. One file loads in a third of the time, and
 * runs faster: what loads TypeScript on the fly names every function again each time it is created.
 * @returns {Promise<string>} its URL
 */
export async function program() {
  if (!(await isFresh())) await build()
  return pathToFileURL(main).href
}

async function isFresh() {
  try {
    const { mtimeMs } = await stat(main)
    /** @type {string[]} */
    const sources = JSON.parse(await readFile(inputs, 'utf8'))
    const stats = await Promise.all(sources.map((source) => stat(path.join(root, source))))
    return stats.every((source) => source.mtimeMs < mtimeMs)
  } catch {
    // Not built yet, or built from a file that is gone: either way it has to be built.
    return false
  }
}

async function build() {
  const { build } = await import('esbuild')
  const began = new Date()
  const { metafile, outputFiles } = await build({
    entryPoints: [path.join(root, 'packages/farhand/src/main.ts')],
    absWorkingDir: root,
    outfile: main,
    write: false,
    metafile: true,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    plugins: [librariesStayOutside],
  })
  await mkdir(folder, { recursive: true })
  // Beside, then in its place: another start may be reading the one that is there.
  await replace(inputs, JSON.stringify([...Object.keys(metafile.inputs), 'package-lock.json']))
  await replace(main, outputFiles[0]?.contents ?? '', began)
}

/** @param {string} file @param {string | Uint8Array} contents @param {Date} [time] */
async function replace(file, contents, time) {
  const draft = `${file}.${process.pid}`
  try {
    await writeFile(draft, contents)
    // A source that was saved while this was being built is newer than what was built from it.
    if (time) await utimes(draft, time, time)
    await rename(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
}

/** @type {import('esbuild').Plugin} */
const librariesStayOutside = {
  name: 'libraries stay outside',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^[^./]/ }, ({ path: name, kind }) =>
      kind === 'entry-point' || name.startsWith('@farhand/') ? undefined : { path: name, external: true },
    )
  },
}
