const { hash } = require('node:crypto')
const { readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const path = require('node:path')
const process = require('node:process')
const { Script } = require('node:vm')

const digestBytes = 32
// Late enough for what a start needs to have been compiled, and before the engine lets go of what is used only once.
const begunMs = 1_000

/**
 * Runs a program of one file. What the engine compiled for an earlier start under this name is used again, which halves
 * the time until it is at work; it lies beside the program, and without it the program runs all the same. One that does
 * not keep leaves what there is, or is not, as it is.
 * @param {string} file
 * @param {string} name
 * @param {boolean} keeps
 */
function runProgram(file, name, keeps) {
  const source = readFileSync(file)
  // The engine compares no more than the length of the text: the name has to say which one it is.
  const kept = path.join(path.dirname(file), `${name}-${digestOf(source).toString('hex', 0, 8)}.code`)
  const cachedData = keptIn(kept)
  const text = `(function (exports, require, module, __filename, __dirname) {${source.toString()}\n})`
  const script = new Script(text, { filename: file, ...(cachedData && { cachedData }) })
  const module = { exports: {} }
  script.runInThisContext()(module.exports, createRequire(file), module, file, path.dirname(file))
  if (!keeps || (cachedData && !script.cachedDataRejected)) return
  setTimeout(() => keep(kept, script.createCachedData()), begunMs).unref()
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

/** @param {string} kept @param {Buffer} code */
function keep(kept, code) {
  const draft = `${kept}.${process.pid}`
  try {
    writeFileSync(draft, Buffer.concat([digestOf(code), code]))
    renameSync(draft, kept)
  } catch {
    // Where nothing can be written every start is like the first.
    rmSync(draft, { force: true })
  }
}

/** @param {Uint8Array} bytes @returns {Buffer} */
const digestOf = (bytes) => hash('sha256', bytes, 'buffer')

module.exports = { runProgram }
