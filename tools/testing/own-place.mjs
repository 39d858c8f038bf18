import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { onInterrupt } from '../processes/on-interrupt.mjs'

/**
 * Gives this process, and all processes that it starts, an empty home and an empty folder for temporary files: a test can
 * neither depend on files of an earlier one, nor leave files on the machine. npm keeps the user's settings and cache.
 * @returns {{ place: string, leftBehind: () => string[] }} the folder that both are in, by its whole path without links; and
 *   what is still in the folder for temporary files, mounted there, or the disk of a loop device: then both folders are removed
 */
export function takeOwnPlace() {
  const place = realpathSync(mkdtempSync(path.join(tmpdir(), 'fht-')))
  const before = homedir()
  const [home, temporary] = [path.join(place, 'home'), path.join(place, 't')]
  for (const folder of [home, temporary]) mkdirSync(folder)
  // Tests that run as an ordinary user need access, too.
  chmodSync(place, 0o755)
  chmodSync(temporary, 0o1777)
  process.env.npm_config_userconfig ??= path.join(before, '.npmrc')
  process.env.npm_config_cache ??= path.join(before, '.npm')
  // Each npm command writes a log, with any place of its cache.
  process.env.npm_config_logs_dir = path.join(home, 'npm-logs')
  process.env.HOME = home
  process.env.TMPDIR = temporary
  for (const name of Object.keys(process.env)) if (name.startsWith('XDG_')) delete process.env[name]
  const remove = () => rmSync(place, { recursive: true, force: true, maxRetries: 3 })
  const forget = onInterrupt(remove)
  const leftBehind = () => {
    forget()
    const left = [
      ...readdirSync(temporary)
        .filter(isOfTests)
        .map((name) => `${kindOf(name)}${contentsOf(path.join(temporary, name))}`),
      ...mountedIn(place),
      ...loopsIn(place),
    ]
    // A mount may be a folder of the user's: it is reported, and nothing is removed.
    if (mountedIn(place).length === 0) remove()
    return [...new Set(left)].sort()
  }
  return { place, leftBehind }
}

// Compilers cache their results there.
const isOfTests = (/** @type {string} */ name) => !/^(?:tsx-|node-compile-cache)/.test(name)

/** A name without the letters that make it the only one of its kind. @param {string} name */
const kindOf = (name) => name.replace(/-[\w]{6}(?=$|\.)/, '-*')

const mostNamed = 8

/** What is in a folder, by which a reader knows the test that left it; empty for a file or an empty folder. @param {string} place */
function contentsOf(place) {
  /** @type {string[]} */
  let names = []
  try {
    names = readdirSync(place, { recursive: true }).map(String).sort()
  } catch {
    // It is a file, or has gone since.
  }
  if (names.length === 0) return ''
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ''
  return ` (${names.slice(0, mostNamed).join(', ')}${more})`
}

/** @param {string} place */
function mountedIn(place) {
  if (process.platform !== 'linux') return []
  const points = readFileSync('/proc/self/mountinfo', 'utf8').split('\n')
  return points.flatMap((line) => {
    const point = line.split(' ')[4] ?? ''
    return point.startsWith(`${place}/`) ? [`mount ${point.slice(place.length + 1)}`] : []
  })
}

/**
 * Loop devices whose disk is a file in this folder, or a deleted one, which the kernel marks as deleted.
 * @param {string} place
 * @param {string} [devices]
 */
export function loopsIn(place, devices = '/sys/block') {
  const names =
    process.platform === 'linux' ? readdirSync(devices).filter((name) => /^loop\d+$/.test(name)) : []
  return names.flatMap((name) => {
    try {
      const file = readFileSync(path.join(devices, name, 'loop/backing_file'), 'utf8').trim()
      return file.startsWith(`${place}/`) ? [`loop device of ${file.slice(place.length + 1)}`] : []
    } catch {
      // The loop device has no disk.
      return []
    }
  })
}
