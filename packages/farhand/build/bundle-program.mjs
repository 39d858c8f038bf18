import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** @typedef {import('esbuild').Plugin} Plugin */
/** @typedef {(file: string, bytes: Buffer) => void} Remember */
/** @typedef {(file: string, text: string) => string} Change */

// Loaded at every start, these cost more as the dozens of files they come in than as a part of ours.
const inside = [
  'zod',
  'commander',
  'ignore',
  'eventsource-parser',
  '@noble/hashes',
  'kysely',
  'prom-client',
  'find-my-way',
]

/**
 * The command and all packages of ours in one text that Node can run, and the files that it was made of. What becomes of
 * other people's libraries is for the caller to say.
 * @param {string} entry
 * @param {string} root
 * @param {{ libraries: Plugin, remember?: Remember, change?: Change }} how
 * @returns {Promise<{ text: string, inputs: string[] }>}
 */
export async function bundleProgram(
  entry,
  root,
  { libraries, remember = () => {}, change = (_, text) => text },
) {
  const { build } = await import('esbuild').catch(() => {
    throw new Error('farhand has to be built, and esbuild is not installed: run `npm install --include=dev`.')
  })
  try {
    const { outputFiles, metafile } = await build({
      entryPoints: [entry],
      banner: { js: `const builtFrom = require('node:url').pathToFileURL(__filename).href` },
      define: { 'import.meta.url': 'builtFrom' },
      absWorkingDir: root,
      write: false,
      metafile: true,
      logLevel: 'silent',
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20',
      // Comments are the only part that is not ASCII, and one such letter doubles the memory that all of it takes.
      minifyWhitespace: true,
      lineLimit: 160,
      // What is loaded when it is needed is in the same file, and libraries come in the same way as everything else.
      supported: { 'dynamic-import': false },
      plugins: pluginsFor({ libraries, remember, change }),
    })
    return { text: outputFiles[0]?.text ?? '', inputs: Object.keys(metafile.inputs) }
  } catch (error) {
    throw new Error(`farhand cannot be built from its sources: ${said(error)}`, { cause: error })
  }
}

/** @param {{ libraries: Plugin, remember: Remember, change: Change }} how @returns {Plugin[]} */
const pluginsFor = (how) => [
  how.libraries,
  oneLanguage,
  threadsAreTexts(how),
  sourcesAreRead(how.remember, how.change),
]

/** What esbuild, or anything else, says is wrong. @param {unknown} error */
export function said(error) {
  const [first] = /** @type {Partial<import('esbuild').BuildFailure>} */ (error).errors ?? []
  if (first) return `${first.location ? `${first.location.file}:${first.location.line}: ` : ''}${first.text}`
  return error instanceof Error ? error.message : String(error)
}

/** Whether a name that is imported is that of a library that is no part of the program. @param {string} name */
export const isOutside = (name) =>
  !name.startsWith('@farhand/') &&
  !name.startsWith('node:') &&
  !inside.some((library) => name === library || name.startsWith(`${library}/`))

/** In a clone: libraries are loaded from where npm has put them. @type {Plugin} */
export const librariesStayOutside = {
  name: 'libraries stay outside',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^[^./]/ }, ({ path: name, kind }) =>
      kind !== 'entry-point' && isOutside(name) ? { path: name, external: true } : undefined,
    )
  },
}

// The schema library brings its messages in sixty languages, more than half of all there is to load. They are never shown.
/** @type {Plugin} */
export const oneLanguage = {
  name: 'one language',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js'",
    }))
  },
}

// Read here, so that what is remembered is what was built from, and not what was saved a moment later.
/** @param {Remember} remember @param {Change} change @returns {Plugin} */
const sourcesAreRead = (remember, change) => ({
  name: 'sources are read',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
      const contents = await readFile(file)
      remember(file, contents)
      return { contents: change(file, contents.toString()), loader: 'ts' }
    })
  },
})

const bundler = fileURLToPath(new URL('../../kit/build/bundle-worker.mjs', import.meta.url))

/** The module that a `worker-source.ts` names, or else the only one of its package. @param {string} file @param {string} text */
function builderOf(file, text) {
  const place = /new URL\('([^']+\.mjs)', import\.meta\.url\)/.exec(text)?.[1]
  if (place) return path.resolve(path.dirname(file), place)
  return path.join(file.slice(0, file.lastIndexOf(`${path.sep}src${path.sep}`)), 'build/worker-bundle.mjs')
}

// A thread is started from a text, so that there is no second file to be found, or to be of another build.
/** @param {{ libraries: Plugin, remember: Remember, change: Change }} how @returns {Plugin} */
const threadsAreTexts = (how) => ({
  name: 'threads are texts',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]src[\\/].*worker-source\.ts$/ }, async ({ path: file }) => {
      const builder = builderOf(file, await readFile(file, 'utf8'))
      for (const input of [file, builder, bundler]) how.remember(input, await readFile(input))
      /** @type {{ workerBundle: (plugins: Plugin[]) => Promise<string> }} */
      const { workerBundle } = await import(pathToFileURL(builder).href)
      const text = await workerBundle(pluginsFor(how))
      return { contents: `export const workerSource = async () => ${JSON.stringify(text)}`, loader: 'js' }
    })
  },
})
