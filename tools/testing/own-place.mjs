import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { onInterrupt } from '../processes/on-interrupt.mjs'

/**
 * Gives this process, and all processes that it starts, an empty home and an empty folder for temporary files: a test can
 * neither depend on files of an earlier one, nor leave files on the machine. npm keeps the user's settings and cache.
 * Tests that do not need a real disk get their temporary files in memory, see `tools/testing/disk-or-memory.mjs`.
 * @returns {{ places: string[], leftBehind: () => string[] }} the folders that all this is in, by whole paths without links; and
 *   what is still in those for temporary files, mounted there, or the disk of a loop device: then all folders are removed
 */
export function takeOwnPlace() {
  const place = realpathSync(mkdtempSync(path.join(tmpdir(), 'fht-')))
  const before = homedir()
  const [home, temporary] = [path.join(place, 'home'), path.join(place, 't')]
  mkdirSync(home)
  openToAll(place, temporary)
  process.env.npm_config_userconfig ??= path.join(before, '.npmrc')
  process.env.npm_config_cache ??= path.join(before, '.npm')
  // Each npm command writes a log, with any place of its cache.
  process.env.npm_config_logs_dir = path.join(home, 'npm-logs')
  process.env.HOME = home
  process.env.TMPDIR = temporary
  for (const name of Object.keys(process.env)) if (name.startsWith('XDG_')) delete process.env[name]
  const inMemory = placeInMemory()
  delete process.env.FARHAND_TEST_MEMORY
  if (inMemory !== null) process.env.FARHAND_TEST_MEMORY = path.join(inMemory, 't')
  const places = [place, ...(inMemory === null ? [] : [inMemory])]
  const remove = () => {
    for (const one of places) rmSync(one, { recursive: true, force: true, maxRetries: 3 })
  }
  const forget = onInterrupt(remove)
  const leftBehind = () => {
    forget()
    const left = places.flatMap((one) => [
      ...readdirSync(path.join(one, 't'))
        .filter(isOfTests)
        .map((name) => `${kindOf(name)}${contentsOf(path.join(one, 't', name))}`),
      ...mountedIn(one),
      ...loopsIn(one),
    ])
    // A mount may be a folder of the user's: it is reported, and nothing is removed.
    if (places.every((one) => mountedIn(one).length === 0)) remove()
    return [...new Set(left)].sort()
  }
  return { places, leftBehind }
}

/** Tests that run as an ordinary user need access, too. @param {string} place @param {string} temporary */
function openToAll(place, temporary) {
  mkdirSync(temporary)
  chmodSync(place, 0o755)
  chmodSync(temporary, 0o1777)
}

const tmpfsType = 0x01021994
/** Many times what all tests together have there at once, and what else the machine needs meanwhile. */
const leastRoom = 2e9
const leastMemory = 6e9

/** Null where the system has no such folder, runs no programs from it, or has too little memory. @param {string} folder */
function placeInMemory(folder = '/dev/shm') {
  if (process.platform !== 'linux' || !existsSync(folder)) return null
  const { type, bavail, bsize } = statfsSync(folder)
  const available = Number(/^MemAvailable: +(\d+)/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1]) * 1024
  if (type !== tmpfsType || bavail * bsize < leastRoom || !(available > leastMemory)) return null
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .findLast((line) => line.split(' ')[1] === folder)
  if (mount === undefined || /[ ,](?:ro|noexec)[ ,]/.test(mount)) return null
  removeOld(folder)
  const place = mkdtempSync(path.join(folder, `fht-${process.pid}-`))
  openToAll(place, path.join(place, 't'))
  return place
}

/** What killed test runs have left takes memory until it is removed. @param {string} folder */
export function removeOld(folder) {
  for (const name of readdirSync(folder)) {
    const pid = /^fht-(\d+)-/.exec(name)?.[1]
    const place = path.join(folder, name)
    const isOld = () => Date.now() - statSync(place).mtimeMs > 3600_000
    try {
      if (pid !== undefined && !existsSync(`/proc/${pid}`) && isOld())
        rmSync(place, { recursive: true, force: true })
    } catch {
      // It is another user's, or another test run removes it now.
    }
  }
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
