import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { withProgress } from './progress.mjs'

/**
 * A program or module from the system's own packages that a part of our work needs.
 * `needs` is a command name, or an absolute path of a file.
 * @typedef {{ needs: string, package: string }} SystemPart
 */

/**
 * Installs what is missing, where it can: Debian's packages, as root or with a sudo that asks nothing.
 * Gives back what is still missing and why, so that the caller can report it by name instead of failing.
 * @param {readonly SystemPart[]} parts
 * @returns {Promise<{ package: string, why: string }[]>}
 */
export async function ensureSystem(parts) {
  const missing = parts.filter((part) => !isThere(part.needs))
  if (missing.length === 0) return []
  const names = [...new Set(missing.map((part) => part.package))]
  const why = await withProgress(`Installing ${names.join(', ')}`, () => aptInstall(names))
  return missing.filter((part) => !isThere(part.needs)).map((part) => ({ package: part.package, why }))
}

/** @param {string} needs */
export function isThere(needs) {
  if (path.isAbsolute(needs)) return existsSync(needs)
  // Servers live in sbin, which is often not on a user's PATH.
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/usr/local/sbin']
  return folders.some((folder) => existsSync(path.join(folder, needs)))
}

/** @param {readonly string[]} names @returns {Promise<string>} why it did not work, or an empty string */
async function aptInstall(names) {
  if (!isThere('apt-get')) return `this machine has no apt-get; install ${names.join(' and ')} by hand`
  const isRoot = process.getuid?.() === 0
  if (!isRoot && (await run('sudo', ['-n', 'true'])) !== '')
    return `needs root: sudo apt-get install ${names.join(' ')}`
  const apt = (/** @type {string[]} */ ...args) =>
    isRoot ? run('apt-get', args) : run('sudo', ['-n', 'apt-get', ...args])
  const install = () => apt('install', '-y', '-q', '--no-install-recommends', ...names)
  // Package lists age: a version that is not found is most often cured by a look at the current ones.
  if ((await install()) === '') return ''
  return (await apt('update', '-q')) || install()
}

/** @param {string} command @param {readonly string[]} args @returns {Promise<string>} its last complaint, if it failed */
function run(command, args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }
  const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let complaint = ''
  child.stderr.on('data', (text) => (complaint += text))
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message))
    child.on('close', (code) =>
      resolve(code === 0 ? '' : complaint.trim().split('\n').at(-1) || `${command} ended with ${code}`),
    )
  })
}
