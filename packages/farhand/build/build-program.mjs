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
import { fileURLToPath } from 'node:url'
import { bundleProgram, librariesStayOutside, said } from './bundle-program.mjs'
import { placesOf, touchOf } from './program.cjs'

const here = fileURLToPath(import.meta.url)
const ownFiles = [
  here,
  ...['bundle-program.mjs', 'program.cjs'].map((name) => path.join(path.dirname(here), name)),
]
const lastLine = '\n// built from '

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
  /** @type {Record<string, string>} */
  const inputs = {}
  const remember = (/** @type {string} */ file, /** @type {Buffer} */ bytes) => {
    inputs[path.relative(root, file)] = digestOf(bytes)
  }
  for (const file of [path.join(root, 'package-lock.json'), ...ownFiles]) remember(file, await readFile(file))
  const { text } = await bundleProgram(entry, root, { libraries: librariesStayOutside, remember })
  return `${text}${lastLine}${JSON.stringify(inputs)}\n`
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
  await symlink(path.join(home, 'skills'), path.join(folder, 'skills'), 'junction')
  const main = path.join(folder, 'dist/main.cjs')
  await replace(main, text)
  return main
}

/** @param {string | Buffer} bytes */
const digestOf = (bytes) => createHash('sha256').update(bytes).digest('base64')
