import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { explain } from './npm/npm-trouble.mjs'
import { endWithNpm } from './processes/end-with-npm.mjs'
import { withProgress } from './processes/progress.mjs'
import { runChild } from './processes/run-child.mjs'
import { takeTurns } from './processes/take-turns.mjs'

export const root = fileURLToPath(new URL('..', import.meta.url))
const stampFile = path.join(root, 'node_modules', '.farhand-prepared')

/**
 * Makes the clone ready to work in: the right Node, the packages of the lock. Costs a few milliseconds when
 * nothing changed since the last time. Ends the process with a sentence when it cannot.
 */
export async function prepare() {
  requireNode()
  endWithNpm()
  if (isPrepared()) return
  const waiting = (/** @type {string} */ pid) =>
    say(`Another command (process ${pid}) is installing; waiting for it.`)
  try {
    await takeTurns(path.join(root, '.cache', 'install.lock'), installOnce, waiting)
  } catch (error) {
    stop(error instanceof Error ? error.message : String(error))
  }
}

async function installOnce() {
  // A process that had its turn before this one may have done it all.
  if (isPrepared()) return
  if (!isInstalledByHand()) {
    const how = existsSync(path.join(root, 'package-lock.json')) ? 'ci' : 'install'
    await withProgress('Installing packages', () => install(how))
  }
  writeFileSync(stampFile, fingerprint())
}

function requireNode() {
  const { engines } = readJson('package.json')
  const wanted = engines.node.replace('>=', '')
  if (!isOlder(process.versions.node, wanted)) return
  stop(
    `Farhand needs Node ${wanted} or newer, and this is ${process.versions.node}. Get one from https://nodejs.org`,
  )
}

/** @param {string} version @param {string} than */
export function isOlder(version, than) {
  const [a, b] = [version, than].map((text) => text.split('.').map(Number))
  for (const at of [0, 1, 2]) {
    const difference = (a?.[at] ?? 0) - (b?.[at] ?? 0)
    if (difference !== 0) return difference < 0
  }
  return false
}

const isPrepared = () => existsSync(stampFile) && readFileSync(stampFile, 'utf8') === fingerprint()

// Native packages are built for one Node and one kind of machine: a folder that two machines share has to be installed again.
function fingerprint() {
  const hash = createHash('sha256').update(`${process.versions.modules} ${process.platform} ${process.arch}`)
  for (const file of ['package.json', 'package-lock.json', ...manifests()]) {
    const at = path.join(root, file)
    hash.update(`\n${file}\n`).update(existsSync(at) ? readFileSync(at) : '')
  }
  return hash.digest('hex')
}

const manifests = () =>
  readJson('package.json').workspaces.map((/** @type {string} */ folder) => `${folder}/package.json`)

// A user who has just run `npm install` should not have to wait for the same packages again.
function isInstalledByHand() {
  const [locked, installed] = ['package-lock.json', 'node_modules/.package-lock.json'].map((file) =>
    existsSync(path.join(root, file)) ? readJson(file).packages : undefined,
  )
  return locked !== undefined && installed !== undefined && isWholeInstall(locked, installed, readJson)
}

/**
 * Whether `installed` has all that `locked` asks for (packages for other systems aside) and `locked` all that the
 * manifests ask for.
 * @param {Record<string, Package>} locked
 * @param {Record<string, Package>} installed
 * @param {(file: string) => Package} read
 * @typedef {{ version?: string, optional?: boolean, workspaces?: string[], dependencies?: Record<string, string>, devDependencies?: Record<string, string>, optionalDependencies?: Record<string, string> }} Package
 */
export function isWholeInstall(locked, installed, read) {
  // Packages in our own manifests are for every system; their dependencies may be for another one.
  const own = Object.entries(locked).flatMap(([name, { optionalDependencies = {} }]) =>
    name.includes('node_modules/') ? [] : Object.keys(optionalDependencies),
  )
  if (own.some((name) => installed[`node_modules/${name}`] === undefined)) return false
  for (const [name, entry] of Object.entries(locked)) {
    if (name.includes('node_modules/')) {
      const there = installed[name]
      if (there === undefined ? entry.optional !== true : there.version !== entry.version) return false
    } else {
      const manifest = read(path.join(name, 'package.json'))
      for (const kind of /** @type {const} */ ([
        'dependencies',
        'devDependencies',
        'optionalDependencies',
        'workspaces',
      ])) {
        if (JSON.stringify(sorted(manifest[kind])) !== JSON.stringify(sorted(entry[kind]))) return false
      }
    }
  }
  return true
}

/** @param {object | undefined} object */
const sorted = (object) => Object.entries(object ?? {}).sort()

/** @param {string} how */
async function install(how) {
  const first = await npm(how)
  if (first.code === 0) return
  if (!/ENOTEMPTY/.test(first.output)) throw new Error(explain(first.output))
  // A killed install has left folders that npm can neither use nor remove.
  rmSync(path.join(root, 'node_modules'), { recursive: true, force: true, maxRetries: 5 })
  const second = await npm(how)
  if (second.code !== 0) throw new Error(explain(second.output))
}

/** @param {string} command */
function npm(command) {
  // Under `npm test` this is the npm that started us. The level is set because `npm start --silent` would pass its silence
  // on and hide errors, and dev because NODE_ENV=production would leave the dev dependencies out.
  const args = [command, '--loglevel=error', '--include=dev', '--no-audit', '--no-fund']
  const cli = process.env.npm_execpath
  const [file, rest] = cli?.endsWith('.js') ? [process.execPath, [cli, ...args]] : ['npm', args]
  const shell = file === 'npm' && process.platform === 'win32'
  const ran = runChild(file, rest, { cwd: root, shell, patienceMs: 8_000 })
  return ran.catch((error) => ({ code: 1, output: String(error) }))
}

/** @param {string} file */
const readJson = (file) => JSON.parse(readFileSync(path.join(root, file), 'utf8'))

/** @param {string} sentence */
const say = (sentence) => process.stderr.write(`${sentence}\n`)

/** @param {string} sentence @returns {never} */
function stop(sentence) {
  say(sentence)
  process.exit(1)
}
