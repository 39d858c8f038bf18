import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from 'esbuild'
import { oneLanguage } from '../../packages/farhand/build/bundle-program.mjs'
import { root } from '../prepare.mjs'
import { runTool } from '../processes/run-tool.mjs'

const home = path.join(root, 'packages/client')

/**
 * Puts the client for other programs into a folder: one ES module that needs nothing else, for browsers and for Node,
 * and its types.
 * @param {string} folder
 */
export async function stageClient(folder) {
  const { outputFiles } = await build({
    entryPoints: [path.join(home, 'src/index.ts')],
    absWorkingDir: root,
    write: false,
    bundle: true,
    platform: 'neutral',
    mainFields: ['module', 'main'],
    format: 'esm',
    target: 'es2022',
    plugins: [oneLanguage],
  })
  await mkdir(path.join(folder, 'dist'), { recursive: true })
  await writeFile(path.join(folder, 'dist/index.js'), outputFiles[0]?.text ?? '')
  await stageTypes(path.join(folder, 'dist/types'))
  for (const name of ['README.md', 'examples'])
    await cp(path.join(home, name), path.join(folder, name), {
      recursive: true,
      filter: (file) => !file.endsWith('.test.ts'),
    })
  await cp(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'))
  const { name, version, license } = await manifest(home)
  const { engines } = await manifest(root)
  const needs = [await manifest(home), await manifest(path.join(root, 'packages/protocol'))]
  const all = Object.assign({}, ...needs.map(({ dependencies }) => dependencies))
  const others = Object.entries(all).filter(([name]) => !name.startsWith('@farhand/'))
  const own = {
    name,
    version,
    description: 'Talk to a Farhand hub from a browser or from Node',
    license,
    engines,
    type: 'module',
    sideEffects: false,
    exports: { '.': { types: './dist/types/client/index.d.ts', default: './dist/index.js' } },
    // Nothing is loaded from them: the types are written in their terms.
    dependencies: Object.fromEntries(others),
  }
  await writeFile(path.join(folder, 'package.json'), `${JSON.stringify(own, null, 2)}\n`)
}

/** The types of the client and of the words of the wire, each file beside the others of its package. @param {string} to */
async function stageTypes(to) {
  const emitted = await mkdtemp(path.join(tmpdir(), 'farhand-types-'))
  try {
    const args = ['-p', path.join(root, 'tools/pack/client-types.json'), '--outDir', emitted]
    const { code, output } = await runTool('typescript/bin/tsc', args)
    if (code !== 0) throw new Error(`The types of the client cannot be written:\n${output}`)
    for (const [file, text] of await reached(emitted, 'client/index.d.ts')) {
      await mkdir(path.dirname(path.join(to, file)), { recursive: true })
      await writeFile(path.join(to, file), text)
    }
  } finally {
    await rm(emitted, { recursive: true, force: true })
  }
}

/**
 * The files of types that this one needs, and it itself, by their place in the package.
 * @param {string} emitted
 * @param {string} first
 * @param {Map<string, string>} found
 * @returns {Promise<Map<string, string>>}
 */
async function reached(emitted, first, found = new Map()) {
  const [owner = '', ...rest] = first.split('/')
  const text = inPackage(await readFile(path.join(emitted, owner, 'src', ...rest), 'utf8'), rest.length)
  found.set(first, text)
  for (const [, file = ''] of text.matchAll(/["'](\.{1,2}\/[^"']+)\.js["']/g)) {
    const next = path.posix.join(path.posix.dirname(first), `${file}.d.ts`)
    if (!found.has(next)) await reached(emitted, next, found)
  }
  return found
}

/**
 * The text of a file of types with imports that hold in the package: sources name each other by `.ts`, and the packages of
 * ours that it stands on are folders beside it.
 * @param {string} text
 * @param {number} depth how many folders below that of all packages the file lies
 */
function inPackage(text, depth) {
  const up = '../'.repeat(depth)
  return text
    .replaceAll(
      /(["'])@farhand\/([\w-]+)\/([\w./-]+)\1/g,
      (_, quote, owner, file) => `${quote}${up}${owner}/${file}.js${quote}`,
    )
    .replaceAll(/(["'])(\.{1,2}\/[\w./-]+)\.ts\1/g, (_, quote, file) => `${quote}${file}.js${quote}`)
}

/** @param {string} folder @returns {Promise<Record<string, unknown>>} */
const manifest = async (folder) => JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'))
