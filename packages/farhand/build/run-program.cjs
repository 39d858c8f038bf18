const { hash } = require('node:crypto')
const {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = require('node:fs')
const { createRequire } = require('node:module')
const { homedir } = require('node:os')
const path = require('node:path')
const process = require('node:process')
const { Script } = require('node:vm')

const digestBytes = 32
// Late enough for what a start needs to have been compiled, and before the engine lets go of what is used only once.
const begunMs = 1_000

/**
 * Runs a program of one file. What the engine compiled for an earlier start under this name is used again, which halves
 * the time until it is at work; it lies beside the program, or with the user's caches where nothing can be written there,
 * and without it the program runs all the same. One that does not keep leaves what there is, or is not, as it is.
 * @param {string} file
 * @param {string} name
 * @param {boolean} keeps
 */
function runProgram(file, name, keeps) {
  runText(readFileSync(file), file, name, keeps)
}

/**
 * The same for a program that was read already, as if it were this file: a thread must be of the same build as its process,
 * whatever lies there by now.
 * @param {Buffer} source
 * @param {string} file
 * @param {string} name
 * @param {boolean} keeps
 */
function runText(source, file, name, keeps) {
  // The engine compares no more than the length of the text: the name has to say which one it is.
  const kept = `${name}-${digestOf(source).toString('hex', 0, 8)}.code`
  const beside = path.dirname(file)
  const cachedData = keptIn(path.join(beside, kept)) ?? keptInCaches(kept)
  const text = `(function (exports, require, module, __filename, __dirname) {${source.toString()}\n})`
  const script = new Script(text, { filename: file, ...(cachedData && { cachedData }) })
  const module = { exports: {} }
  script.runInThisContext()(module.exports, createRequire(file), module, file, path.dirname(file))
  if (!keeps || (cachedData && !script.cachedDataRejected)) return
  setTimeout(() => {
    const code = script.createCachedData()
    if (!keep(path.join(beside, kept), code)) keepInCaches(name, kept, code)
  }, begunMs).unref()
}

/** @param {string} kept */
function keptIn(kept) {
  try {
    const bytes = readFileSync(kept)
    const code = bytes.subarray(digestBytes)
    return digestOf(code).equals(bytes.subarray(0, digestBytes)) ? code : undefined
  } catch {
    return undefined // the first start
  }
}

/** @param {string} kept */
function keptInCaches(kept) {
  const folder = cacheFolder()
  return folder === null || !isOwn(folder) ? undefined : keptIn(path.join(folder, kept))
}

/** @param {string} kept @param {Buffer} code */
function keep(kept, code) {
  const draft = `${kept}.${process.pid}`
  try {
    writeFileSync(draft, Buffer.concat([digestOf(code), code]))
    renameSync(draft, kept)
    return true
  } catch {
    rmSync(draft, { force: true })
    return false
  }
}

/** @param {string} name @param {string} kept @param {Buffer} code */
function keepInCaches(name, kept, code) {
  const folder = cacheFolder()
  try {
    if (folder === null) return
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (!isOwn(folder)) return
    // No other program removes there what was compiled of the version before.
    const old = readdirSync(folder).filter((one) => one.startsWith(`${name}-`) && one !== kept)
    if (keep(path.join(folder, kept), code))
      for (const one of old) rmSync(path.join(folder, one), { force: true })
  } catch {
    // Where nothing can be written every start is like the first.
  }
}

/**
 * A user who may write there may have us do anything: with `sudo` the home is often still that of another user.
 * @param {string} folder
 */
function isOwn(folder) {
  try {
    const { uid, mode } = statSync(folder)
    return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
  } catch {
    return false // not there yet
  }
}

/** Where the system has its users keep what can be made again. @returns {string | null} */
function cacheFolder() {
  const { XDG_CACHE_HOME: xdg = '', LOCALAPPDATA: local = '' } = process.env
  const home = homedir()
  if (process.platform === 'win32') return local === '' ? null : path.join(local, 'farhand', 'cache')
  if (path.isAbsolute(xdg)) return path.join(xdg, 'farhand')
  if (!path.isAbsolute(home)) return null
  return path.join(home, process.platform === 'darwin' ? 'Library/Caches' : '.cache', 'farhand')
}

/** @param {Uint8Array} bytes @returns {Buffer} */
const digestOf = (bytes) => hash('sha256', bytes, 'buffer')

module.exports = { runProgram, runText }
