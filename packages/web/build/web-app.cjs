const { execFile } = require('node:child_process')
const { createHash } = require('node:crypto')
const { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } = require('node:fs')
const path = require('node:path')
const process = require('node:process')
const { pathToFileURL } = require('node:url')
const { promisify } = require('node:util')

const home = path.join(__dirname, '..')
const root = path.join(home, '../..')
const apps = path.join(home, '.cache')
const from = [
  'package-lock.json',
  ...['index.html', 'package.json', 'build', 'public', 'src'].map((name) => `packages/web/${name}`),
  ...['kit', 'protocol', 'story', 'client'].map((name) => `packages/${name}/src`),
]
const longestUseMs = 3600_000

/**
 * The folder of the app, built from the current sources. The folder is named after a hash of the sources, so two processes
 * that build at the same time do not disturb each other. CommonJS, because the command can load nothing else here.
 * @returns {Promise<string>}
 */
async function webApp() {
  const folder = path.join(apps, `app-${digest()}`)
  if (existsSync(folder)) return folder
  const draft = path.join(apps, `draft-${process.pid}-${Date.now()}`)
  mkdirSync(apps, { recursive: true })
  try {
    await build(draft)
    // Another process may have built the same app meanwhile.
    if (!existsSync(folder)) renameSync(draft, folder)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  removeOld(folder)
  return folder
}

/** In a process of its own: a build blocks its process for seconds. @param {string} to */
async function build(to) {
  const module = pathToFileURL(path.join(__dirname, 'build-web.mjs')).href
  const script = `import { buildWeb } from ${JSON.stringify(module)}\nawait buildWeb(${JSON.stringify(to)})`
  const words = ['--input-type=module', '-e', script]
  await promisify(execFile)(process.execPath, words, { cwd: home, maxBuffer: 1024 ** 2 })
}

function digest() {
  const hash = createHash('sha256')
  for (const name of from)
    for (const file of filesOf(path.join(root, name))) {
      const bytes = readFileSync(file)
      hash.update(`${path.relative(root, file)}\n${bytes.length}\n`).update(bytes)
    }
  return hash.digest('hex').slice(0, 16)
}

/** @param {string} place @returns {string[]} */
function filesOf(place) {
  if (!existsSync(place)) return []
  if (statSync(place).isFile()) return [place]
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.|\.fuzz\./.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
}

/** @param {string} current */
function removeOld(current) {
  for (const name of readdirSync(apps)) {
    const place = path.join(apps, name)
    try {
      const isOld = Date.now() - statSync(place).mtimeMs > longestUseMs
      if (place !== current && isOld) rmSync(place, { recursive: true, force: true })
    } catch {
      // Another process has removed it.
    }
  }
}

module.exports = { webApp }
