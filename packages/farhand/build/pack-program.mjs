import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import path from 'node:path'
import { build } from 'esbuild'
import { bundleProgram, isOutside, librariesStayOutside, oneLanguage } from './bundle-program.mjs'
import { placesOf } from './program.cjs'

/** @typedef {import('esbuild').Plugin} Plugin */

// Each in a file of its own, so that who needs none of it does not read it. What is in no family is in one by itself.
/** @type {Record<string, readonly string[]>} */
const families = {
  hub: ['kysely', 'libsql', 'pino', 'prom-client', 'find-my-way'],
  models: [
    'ai',
    '@ai-sdk/anthropic',
    '@ai-sdk/google',
    '@ai-sdk/openai',
    '@ai-sdk/openai-compatible',
    'undici',
  ],
  mcp: ['@modelcontextprotocol/server', '@modelcontextprotocol/server/stdio'],
}

/** Asked for by name at run time, where no bundler sees it. */
const askedForByName = 'koffi'

/** Part of the text of a thread, where its licence is not seen. */
const insideThreads = ['hash-wasm']

/** Whose binaries decide on which systems there can be a hub at all. */
const neededEverywhere = 'libsql'

/**
 * What an installation without sources consists of: files by their place beside the command, the packages of binaries
 * that have to be installed with it, and the licences of everything that is inside.
 * @param {string} home the folder of this package
 * @param {readonly string[]} beside what else is made of, by paths from the root
 * @returns {Promise<{ files: Record<string, string>, binaries: Record<string, string>, licences: string }>}
 */
export async function packProgram(home, beside = []) {
  const { root, entry } = placesOf(home)
  /** @type {Map<string, string>} */
  const asked = new Map([[askedForByName, path.join(root, 'packages/sync')]])
  let changed = 0
  const { text, inputs } = await bundleProgram(entry, root, {
    libraries: librariesBeside(asked),
    change: (file, text) => {
      if (!/[\\/]packages[\\/]sync[\\/]/.test(file)) return text
      changed += text.split(`require('${askedForByName}')`).length - 1
      return text.replaceAll(`require('${askedForByName}')`, `require('./${placeOf(askedForByName)}')`)
    },
  })
  if (changed === 0) throw new Error(`${askedForByName} is not loaded as it was: see packages/sync/src/disk.`)
  /** @type {Record<string, string>} */
  const files = { 'dist/main.cjs': text, 'dist/complete.cjs': await completeProgram(root, home) }
  const used = [...inputs, ...beside]
  /** @type {Record<string, string>} */
  const optional = {}
  for (const [family, names] of byFamily([...asked.keys()])) {
    const bundled = await bundleLibraries(names, asked, root)
    files[`dist/${placeOf(family)}`] = bundled.text
    used.push(...bundled.inputs)
    Object.assign(optional, bundled.binaries)
  }
  for (const library of insideThreads) used.push(path.join('node_modules', library, 'package.json'))
  return { files, binaries: forOurSystems(optional, root), licences: licencesOf(used, root) }
}

/** What answers at every Tab: small, as all of it is read each time. @param {string} root @param {string} home */
async function completeProgram(root, home) {
  const entry = path.join(home, 'src/commands/completion/main.ts')
  const { text } = await bundleProgram(entry, root, { libraries: librariesStayOutside })
  return text
}

/** @param {string} name */
const familyOf = (name) => Object.keys(families).find((family) => families[family]?.includes(name)) ?? name

/** @param {string} family */
const placeOf = (family) => `libraries/${family.replaceAll('/', '-').replace('@', '')}.cjs`

/** @param {string[]} names @returns {Map<string, string[]>} */
function byFamily(names) {
  /** @type {Map<string, string[]>} */
  const found = new Map()
  for (const name of names) found.set(familyOf(name), [...(found.get(familyOf(name)) ?? []), name])
  return found
}

/** What is imported is taken from the file of its family. @param {Map<string, string>} asked @returns {Plugin} */
const librariesBeside = (asked) => ({
  name: 'libraries beside',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^[^./]/, namespace: 'file' }, ({ path: name, kind, resolveDir }) => {
      if (kind === 'entry-point' || !isOutside(name) || builtinModules.includes(name)) return undefined
      asked.set(name, resolveDir)
      return { path: name, namespace: 'library' }
    })
    onResolve({ filter: /^/, namespace: 'library' }, ({ path }) => ({ path, external: true }))
    onLoad({ filter: /^/, namespace: 'library' }, ({ path: name }) => ({
      contents: `module.exports = require('./${placeOf(familyOf(name))}')[${JSON.stringify(name)}]`,
    }))
  },
})

/** @param {string[]} names @param {Map<string, string>} asked @param {string} root */
async function bundleLibraries(names, asked, root) {
  const getters = names.map((name, at) => `get ${JSON.stringify(name)}() { return require('library:${at}') }`)
  /** @type {Record<string, string>} */
  const binaries = {}
  for (const name of names) Object.assign(binaries, manifestOf(name, root).optionalDependencies)
  const { outputFiles, metafile } = await build({
    stdin: { contents: `module.exports = { ${getters.join(', ')} }`, resolveDir: root },
    absWorkingDir: root,
    write: false,
    metafile: true,
    logLevel: 'silent',
    bundle: true,
    minifySyntax: true,
    minifyWhitespace: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    legalComments: 'none',
    external: Object.keys(binaries),
    define: { 'import.meta.url': 'builtFrom' },
    banner: { js: `const builtFrom = require('node:url').pathToFileURL(__filename).href` },
    plugins: [
      {
        name: 'each from who asked for it',
        setup: ({ onResolve, resolve }) => {
          onResolve({ filter: /^library:/ }, ({ path: place, kind }) => {
            const name = names[Number(place.slice('library:'.length))] ?? ''
            return resolve(name, { kind, resolveDir: asked.get(name) ?? root })
          })
        },
      },
      oneLanguage,
    ],
  })
  return { text: outputFiles[0]?.text ?? '', inputs: Object.keys(metafile.inputs), binaries }
}

/** @param {string} name @param {string} root */
function manifestOf(name, root) {
  const [library = name] = /^(@[^/]+\/)?[^/]+/.exec(name) ?? []
  const place = path.join(root, 'node_modules', library, 'package.json')
  /** @type {{ optionalDependencies?: Record<string, string>, license?: string, version?: string }} */
  return JSON.parse(readFileSync(place, 'utf8'))
}

/**
 * Binaries for systems on which there can be no hub would only make the installation slower.
 * @param {Record<string, string>} binaries
 * @param {string} root
 */
function forOurSystems(binaries, root) {
  const names = Object.keys(manifestOf(neededEverywhere, root).optionalDependencies ?? {})
  const systems = new Set(names.map((name) => systemOf(name)))
  return Object.fromEntries(
    Object.entries(binaries)
      .filter(([name]) => systems.has(systemOf(name)))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** @param {string} name */
const systemOf = (name) => /(darwin|linux|win32)-(x64|arm64|arm)(?=-|$)/.exec(name)?.[0] ?? null

/** @param {readonly string[]} inputs @param {string} root */
function licencesOf(inputs, root) {
  const folders = inputs.flatMap((file) => /^.*node_modules\/(@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? [])
  const texts = [...new Set(folders)].sort().map((folder) => {
    const place = path.join(root, folder)
    const manifest = JSON.parse(readFileSync(path.join(place, 'package.json'), 'utf8'))
    const file = readdirSync(place).find((name) => /^licen[cs]e/i.test(name))
    const text = file ? readFileSync(path.join(place, file), 'utf8').trim() : `Licence: ${manifest.license}`
    return `${manifest.name} ${manifest.version}\n\n${text}\n`
  })
  return `Farhand contains these packages of other people.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`
}
