import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = path.dirname(fileURLToPath(import.meta.url))

/**
 * The command in one file and a few parts that are loaded when they are needed, made anew when what it is built from has
 * changed. Few files load in a third of the time, and run faster: what loads TypeScript on the fly names every function
 * again each time it is created. Where there are no sources what came along is used as it is.
 * @param {string} [home] the folder of this package
 * @param {(sentence: string) => void} [note]
 * @returns {Promise<string>} its URL
 */
export async function program(home = path.join(here, '..'), note = warn) {
  const { root, main, entry, seen } = placesOf(home)
  if (!existsSync(entry)) {
    if (existsSync(main)) return pathToFileURL(main).href
    throw new Error(`There is no ${main} and nothing to build it from: install farhand again.`)
  }
  if (isUntouched(seen, root)) return pathToFileURL(main).href
  // Not above: everyone would wait for it at every start.
  const { builtProgram } = await import('./build-program.mjs')
  return await builtProgram(home, note)
}

/** @param {string} home */
export const placesOf = (home) => ({
  root: path.join(home, '../..'),
  main: path.join(home, 'dist/main.js'),
  entry: path.join(home, 'src/main.ts'),
  /** What every file was when it was last read and found to be what the program was built from. */
  seen: path.join(home, 'dist/seen'),
})

/**
 * What changes when somebody writes to a file or replaces it.
 * @param {string} file
 */
export function touchOf(file) {
  const { ino, size, mtimeMs, ctimeMs } = statSync(file)
  return [ino, size, mtimeMs, ctimeMs]
}

/** @param {string} seen @param {string} root */
function isUntouched(seen, root) {
  try {
    /** @type {[string, number[]][]} */
    const files = Object.entries(JSON.parse(readFileSync(seen, 'utf8')))
    return files.every(([file, touch]) =>
      touchOf(`${root}/${file}`).every((number, at) => number === touch[at]),
    )
  } catch {
    // Nothing is noted, or something is gone.
    return false
  }
}

/** @param {string} sentence */
const warn = (sentence) => void process.stderr.write(`${sentence}\n`)
