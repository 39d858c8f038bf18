import { createHash } from 'node:crypto'
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { placesOf, touchOf } from './program.cjs'

const here = fileURLToPath(import.meta.url)
const ownFiles = [here, path.join(path.dirname(here), 'program.cjs')]
const lastLine = '\n// built from '

// Loaded at every start, these cost more as the dozens of files they come in than as a part of ours.
const inside = ['zod', 'commander', 'ignore', 'eventsource-parser']
const longestUseMs = 3600_000

/**
 * Builds the program unless it was built from what is there now, and says where it is.
 * @param {string} home
 * @param {(sentence: string) => void} note
 * @returns {Promise<string>}
 */
export async function builtProgram(home, note) {
  const { root, main, entry } = placesOf(home)
  if (isFresh(home)) return main
  const text = await build(entry, root)
  try {
    await replace(main, text)
    return main
  } catch (error) {
    note(`${path.dirname(main)} cannot be written (${said(error)}): farhand is built again at every start.`)
    return await forThisStart(text, home, root)
  }
}

/**
 * Whether it was built from what is there now. Names and times alone would not tell: archives and copies bring old ones
 * along. But a file that has not been touched since it was last read need not be read again: that is noted.
 * @param {string} home
 */
function isFresh(home) {
  const { root, main, seen } = placesOf(home)
  try {
    const text = readFileSync(main, 'utf8')
    /** @type {[string, string][]} */
    const inputs = Object.entries(JSON.parse(text.slice(text.lastIndexOf(lastLine) + lastLine.length)))
    const files = [main, ...inputs.map(([file]) => path.join(root, file))]
    const touched = files.map((file) => [path.relative(root, file), touchOf(file)])
    const isSame = inputs.every(([file, digest]) => digestOf(readFileSync(path.join(root, file))) === digest)
    // What was touched while it was being read is read again the next time.
    const newestMs = Math.max(...files.map((file) => statSync(file).ctimeMs))
    if (isSame && newestMs < Date.now() - 1000) writeNote(seen, JSON.stringify(Object.fromEntries(touched)))
    return isSame
  } catch {
    // Not built yet, cut off, or built from a file that is gone: either way it has to be built.
    return false
  }
}

/** @param {string} file @param {string} text */
function writeNote(file, text) {
  try {
    writeFileSync(`${file}.${process.pid}`, text)
    renameSync(`${file}.${process.pid}`, file)
  } catch {
    // It only saves time, and here nothing can be written.
  }
}

/** @param {string} entry @param {string} root @returns {Promise<string>} */
async function build(entry, root) {
  const { build } = await import('esbuild').catch(() => {
    throw new Error('farhand has to be built, and esbuild is not installed: run `npm install --include=dev`.')
  })
  /** @type {Record<string, string>} */
  const inputs = {}
  const remember = (/** @type {string} */ file, /** @type {Buffer} */ bytes) => {
    inputs[path.relative(root, file)] = digestOf(bytes)
  }
  for (const file of [path.join(root, 'package-lock.json'), ...ownFiles]) remember(file, await readFile(file))
  try {
    const { outputFiles } = await build({
      entryPoints: [entry],
      banner: { js: `const builtFrom = require('node:url').pathToFileURL(__filename).href` },
      define: { 'import.meta.url': 'builtFrom' },
      absWorkingDir: root,
      write: false,
      logLevel: 'silent',
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20',
      // What is loaded when it is needed is in the same file, and libraries come in the same way as everything else.
      supported: { 'dynamic-import': false },
      plugins: [librariesStayOutside, oneLanguage, threadsAreTexts(remember), sourcesAreRead(remember)],
    })
    return `${outputFiles[0]?.text}${lastLine}${JSON.stringify(inputs)}\n`
  } catch (error) {
    throw new Error(`farhand cannot be built from its sources: ${said(error)}`, { cause: error })
  }
}

/** @param {string} main @param {string} text */
async function replace(main, text) {
  const folder = path.dirname(main)
  await mkdir(folder, { recursive: true })
  const draft = `${main}.${process.pid}`
  try {
    await writeFile(draft, text)
    await rename(draft, main)
  } finally {
    await rm(draft, { force: true })
  }
  await removeOldCode(folder)
}

/** What was compiled of programs that are no more. @param {string} folder */
async function removeOldCode(folder) {
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name)
    const isOld = async () => Date.now() - (await stat(file)).mtimeMs > longestUseMs
    if (name.endsWith('.code') && (await isOld().catch(() => false))) await rm(file, { force: true })
  }
}

/**
 * Puts the program into a folder of its own that is gone when this process ends.
 * @param {string} text
 * @param {string} home
 * @param {string} root
 */
async function forThisStart(text, home, root) {
  const folder = await mkdtemp(path.join(tmpdir(), 'farhand-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  await copyFile(path.join(home, 'package.json'), path.join(folder, 'package.json'))
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction')
  const main = path.join(folder, 'dist/main.cjs')
  await replace(main, text)
  return main
}

/** @param {string | Buffer} bytes */
const digestOf = (bytes) => createHash('sha256').update(bytes).digest('base64')

/** @param {unknown} error */
function said(error) {
  const [first] = /** @type {Partial<import('esbuild').BuildFailure>} */ (error).errors ?? []
  if (first) return `${first.location ? `${first.location.file}:${first.location.line}: ` : ''}${first.text}`
  return error instanceof Error ? error.message : String(error)
}

/** @param {string} name */
const isInside = (name) => inside.some((library) => name === library || name.startsWith(`${library}/`))

/** @type {import('esbuild').Plugin} */
const librariesStayOutside = {
  name: 'libraries stay outside',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^[^./]/ }, ({ path: name, kind }) =>
      kind === 'entry-point' || name.startsWith('@farhand/') || isInside(name)
        ? undefined
        : { path: name, external: true },
    )
  },
}

// The schema library brings its messages in sixty languages, more than half of all there is to load. Nobody reads them.
/** @type {import('esbuild').Plugin} */
const oneLanguage = {
  name: 'one language',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js'",
    }))
  },
}

// Read here, so that what is remembered is what was built from, and not what was saved a moment later.
/** @param {(file: string, bytes: Buffer) => void} remember @returns {import('esbuild').Plugin} */
const sourcesAreRead = (remember) => ({
  name: 'sources are read',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
      const contents = await readFile(file)
      remember(file, contents)
      return { contents, loader: 'ts' }
    })
  },
})

// A thread is started from a text, so that there is no second file to be found, or to be of another build.
/** @param {(file: string, bytes: Buffer) => void} remember @returns {import('esbuild').Plugin} */
const threadsAreTexts = (remember) => ({
  name: 'threads are texts',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]src[\\/](disk|blobs)[\\/]worker-source\.ts$/ }, async ({ path: file }) => {
      const builder = path.join(path.dirname(file), '../../build/worker-bundle.mjs')
      for (const input of [file, builder]) remember(input, await readFile(input))
      /** @type {{ workerBundle: (plugins: import('esbuild').Plugin[]) => Promise<string> }} */
      const { workerBundle } = await import(pathToFileURL(builder).href)
      const text = await workerBundle([sourcesAreRead(remember)])
      return { contents: `export const workerSource = async () => ${JSON.stringify(text)}`, loader: 'js' }
    })
  },
})
