import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { packProgram } from '../../packages/farhand/build/pack-program.mjs'
import { buildWeb } from '../../packages/web/build/build-web.mjs'
import { root } from '../prepare.mjs'

const asTheyAre = [
  'bin/farhand.cjs',
  'build/program.cjs',
  'build/run-program.cjs',
  'skills/cloud-agent/SKILL.md',
  'README.md',
]

/**
 * Puts into a folder what people install: the command without its sources, with everything inside that can be.
 * @param {string} folder
 */
export async function stageFarhand(folder) {
  const home = path.join(root, 'packages/farhand')
  const ofWeb = await buildWeb(path.join(folder, 'dist/web'))
  const beside = ofWeb.map((file) => path.relative(root, file))
  const { files, binaries, licences } = await packProgram(home, beside)
  const put = async (/** @type {string} */ name, /** @type {string} */ text) => {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
    await writeFile(path.join(folder, name), text)
  }
  for (const [name, text] of Object.entries(files)) await put(name, text)
  for (const name of asTheyAre) await cp(path.join(home, name), path.join(folder, name))
  await cp(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'))
  await put('THIRD-PARTY.txt', licences)
  const { name, version, license, bin } = await manifest(home)
  const { description, engines } = await manifest(root)
  // Without scripts and without anything to build: npm only has to unpack it, and the binaries of this system.
  const own = { name, version, description, license, engines, bin, optionalDependencies: binaries }
  await put('package.json', `${JSON.stringify(own, null, 2)}\n`)
  await put('dist/commands.json', await commandsOf(path.join(folder, 'bin/farhand.cjs')))
}

/** What the command says of itself, for the Tab of a shell. @param {string} command */
async function commandsOf(command) {
  const env = { ...process.env, FARHAND_CALLED: 'farhand' }
  return (await promisify(execFile)(process.execPath, [command, 'commands'], { env })).stdout
}

/** @param {string} folder @returns {Promise<Record<string, unknown>>} */
const manifest = async (folder) => JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'))
