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
import { placesOf, touchOf } from './program.mjs'

const here = fileURLToPath(import.meta.url)
const ownFiles = [here, path.join(path.dirname(here), 'program.mjs')]
const lastLine = '\n// built from '

// Loaded at every start, these cost more as the dozens of files they come in than as a part of ours.
const inside = ['zod', 'commander', 'ignore', 'eventsource-parser']
const longestUseMs = 7 * 24 * 3600_000

/**
 * Builds the program unless it was built from what is there now, and says where it is.
 * @param {string} home
 * @param {(sentence: string) => void} note
 * @returns {Promise<string>} its URL
 */
export async function builtProgram(home, note) {
  const { root, main, entry } = placesOf(home)
  if (isFresh(home)) return pathToFileURL(main).href
  const files = await build(entry, root)
  try {
    await replace(path.dirname(main), files)
    return pathToFileURL(main).href
  } catch (error) {
    note(`${path.dirname(main)} cannot be written (${said(error)}): farhand is built again at every start.`)
    return pathToFileURL(await forThisStart(files, home, root)).href
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

/** @typedef {{ name: string, text: string }} Built */

/** @param {string} entry @param {string} root @returns {Promise<Built[]>} */
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
      outdir: path.join(root, 'dist'),
      chunkNames: '[name]-[hash]',
      // Libraries of the old kind ask for Node's own modules in this way.
      banner: {
        js: `import { createRequire as fromHere } from 'node:module'\nconst require = fromHere(import.meta.url)`,
      },
      absWorkingDir: root,
      write: false,
      logLevel: 'silent',
      bundle: true,
      splitting: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      plugins: [librariesStayOutside, oneLanguage, threadsAreTexts(remember), sourcesAreRead(remember)],
    })
    return outputFiles.map(({ path: file, text }) => {
      const name = path.basename(file)
      return { name, text: name === 'main.js' ? `${text}${lastLine}${JSON.stringify(inputs)}\n` : text }
    })
  } catch (error) {
    throw new Error(`farhand cannot be built from its sources: ${said(error)}`, { cause: error })
  }
}

// What it is built from is noted in the main file, which comes last: the names of its parts tell them from those of
// another build that ran at once.
/** @param {string} folder @param {Built[]} files */
async function replace(folder, files) {
  await mkdir(folder, { recursive: true })
  const main = files.filter(({ name }) => name === 'main.js')
  for (const { name, text } of [...files.filter((file) => !main.includes(file)), ...main]) {
    const draft = path.join(folder, `${name}.${process.pid}`)
    try {
      await writeFile(draft, text)
      await rename(draft, path.join(folder, name))
    } finally {
      await rm(draft, { force: true })
    }
  }
  await removeOldParts(folder, new Set(files.map(({ name }) => name)))
}

// A command that was started before this build may still load its own parts.
/** @param {string} folder @param {Set<string>} current */
async function removeOldParts(folder, current) {
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name)
    const isOld = async () => Date.now() - (await stat(file)).mtimeMs > longestUseMs
    if (!current.has(name) && (await isOld().catch(() => false))) await rm(file, { force: true })
  }
}

/**
 * Puts the program into a folder of its own that is gone when this process ends.
 * @param {Built[]} files
 * @param {string} home
 * @param {string} root
 */
async function forThisStart(files, home, root) {
  const folder = await mkdtemp(path.join(tmpdir(), 'farhand-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  await copyFile(path.join(home, 'package.json'), path.join(folder, 'package.json'))
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction')
  await replace(path.join(folder, 'dist'), files)
  return path.join(folder, 'dist/main.js')
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
