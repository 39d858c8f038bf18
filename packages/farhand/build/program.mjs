import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = fileURLToPath(import.meta.url)
const lastLine = '\n// built from '

/**
 * The command in one file, made anew when what it is built from has changed. One file loads in a third of the time, and
 * runs faster: what loads TypeScript on the fly names every function again each time it is created. Where there are no
 * sources the one that came along is used as it is.
 * @param {string} [home] the folder of this package
 * @param {(sentence: string) => void} [note]
 * @returns {Promise<string>} its URL
 */
export async function program(home = path.join(path.dirname(here), '..'), note = warn) {
  const root = path.join(home, '../..')
  const main = path.join(home, 'dist/main.js')
  const entry = path.join(home, 'src/main.ts')
  if (!existsSync(entry)) {
    if (existsSync(main)) return pathToFileURL(main).href
    throw new Error(`There is no ${main} and nothing to build it from: install farhand again.`)
  }
  if (isFresh(main, root)) return pathToFileURL(main).href
  const text = await build(entry, root)
  try {
    await replace(main, text)
    return pathToFileURL(main).href
  } catch (error) {
    note(`${path.dirname(main)} cannot be written (${said(error)}): farhand is built again at every start.`)
    return pathToFileURL(await forThisStart(text, home, root)).href
  }
}

/**
 * Whether it was built from what is there now. Times would not tell: archives and copies bring old ones along.
 * @param {string} main
 * @param {string} root
 */
function isFresh(main, root) {
  try {
    const text = readFileSync(main, 'utf8')
    const at = text.lastIndexOf(lastLine)
    /** @type {[string, string][]} */
    const inputs = Object.entries(JSON.parse(text.slice(at + lastLine.length)))
    return inputs.every(([file, digest]) => digestOf(readFileSync(path.join(root, file))) === digest)
  } catch {
    // Not built yet, cut off, or built from a file that is gone: either way it has to be built.
    return false
  }
}

/** @param {string} entry @param {string} root */
async function build(entry, root) {
  const { build } = await import('esbuild').catch(() => {
    throw new Error('farhand has to be built, and esbuild is not installed: run `npm install --include=dev`.')
  })
  /** @type {Record<string, string>} */
  const inputs = {}
  const remember = (/** @type {string} */ file, /** @type {Buffer} */ bytes) => {
    inputs[path.relative(root, file)] = digestOf(bytes)
  }
  for (const file of [path.join(root, 'package-lock.json'), here]) remember(file, await readFile(file))
  try {
    const { outputFiles } = await build({
      entryPoints: [entry],
      absWorkingDir: root,
      write: false,
      logLevel: 'silent',
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      plugins: [librariesStayOutside, sourcesAreRead(remember)],
    })
    return `${outputFiles[0]?.text}${lastLine}${JSON.stringify(inputs)}\n`
  } catch (error) {
    throw new Error(`farhand cannot be built from its sources: ${said(error)}`, { cause: error })
  }
}

// What a file is built from is noted in the file itself: two files could be of two builds that ran at once.
/** @param {string} file @param {string} text */
async function replace(file, text) {
  const draft = `${file}.${process.pid}`
  await mkdir(path.dirname(file), { recursive: true })
  try {
    await writeFile(draft, text)
    await rename(draft, file)
  } finally {
    await rm(draft, { force: true })
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
  const main = path.join(folder, 'dist/main.js')
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

/** @param {string} sentence */
const warn = (sentence) => void process.stderr.write(`${sentence}\n`)

/** @type {import('esbuild').Plugin} */
const librariesStayOutside = {
  name: 'libraries stay outside',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^[^./]/ }, ({ path: name, kind }) =>
      kind === 'entry-point' || name.startsWith('@farhand/') ? undefined : { path: name, external: true },
    )
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
