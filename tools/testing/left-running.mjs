import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'

const name = 'FARHAND_TEST_RUN'

/**
 * Marks every process that is started from now on, also those that outlive their parent. A process in a sandbox has lost the
 * mark with the rest of its environment: it is recognized by `places`.
 * @param {string[]} places folders that no other program works in, as absolute paths without links
 * @returns {(patienceMs?: number) => Promise<string[]>} the command lines of processes that still run after a while; they are ended
 */
export function markStarted(...places) {
  const mark = `${name}=${randomUUID()}`
  process.env[name] = mark.slice(name.length + 1)
  // A sandbox checks twice a minute whether its folder still exists, and ends if not: hence 45 seconds.
  return async (patienceMs = 45_000) => {
    // Only Linux lets a program read the environment of another process.
    if (process.platform !== 'linux') return []
    const enough = performance.now() + patienceMs
    while (started(mark, places).length > 0 && performance.now() < enough) await pause(200)
    // A process that has ended since the last look is not reported: it was about to end by itself.
    return started(mark, places).flatMap(({ pid, command }) => (isKilled(pid) ? [command] : []))
  }
}

/**
 * Whether one of these processes was started since the last call of `markStarted`, or descends from one that was.
 * @param {number[]} pids @param {string[]} places as for `markStarted`
 */
export function isStartedHere(pids, places) {
  const found = new Set(started(`${name}=${process.env[name]}`, places).map(({ pid }) => pid))
  const isOwn = (/** @type {number} */ pid) => {
    for (let one = pid; one !== 0; one = parentOf(one)) if (one === process.pid || found.has(one)) return true
    return false
  }
  return pids.some(isOwn)
}

/** Whether there was still something to kill. @param {number} pid */
function isKilled(pid) {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}

/** @param {string} mark @param {string[]} places @returns {{ pid: number, command: string }[]} */
function started(mark, places) {
  const pids = readdirSync('/proc').filter((one) => /^\d+$/.test(one))
  const others = pids.map(Number).filter((pid) => pid !== process.pid)
  const marked = new Set(others.filter((pid) => read(`/proc/${pid}/environ`).split('\0').includes(mark)))
  const found = new Set([...marked, ...places.flatMap((place) => inPlace(others, marked, place))])
  return [...found].flatMap((pid) => {
    const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()
    // A zombie process has no command line any more.
    return command === '' ? [] : [{ pid, command }]
  })
}

/**
 * Which of them work in that folder. Other programs of the user, such as a shell or an editor, may have it open too: a process
 * that works there or names it counts only if it descends from the tests, or if its parent has ended.
 * @param {number[]} others @param {Set<number>} marked @param {string} place
 */
function inPlace(others, marked, place) {
  const own = { namespace: link('/proc/self/ns/mnt'), mounts: mountsOf('self') }
  const source = sourceOf(place, own.mounts)
  const naming = new Set(others.filter((pid) => isNaming(pid, place)))
  /** @param {number} pid */
  const isOwn = (pid) => {
    let isAlone = true
    for (let parent = parentOf(pid); parent !== 0; parent = parentOf(parent)) {
      if (parent === process.pid || marked.has(parent)) return true
      if (adopts(parent)) return isAlone
      isAlone &&= naming.has(parent)
    }
    return false
  }
  return others.filter((pid) => (naming.has(pid) ? isOwn(pid) : isSandboxWith(pid, source, own)))
}

/** @param {number} pid @param {string} place */
function isNaming(pid, place) {
  if (['cwd', 'root'].some((one) => isWithin(link(`/proc/${pid}/${one}`), place))) return true
  return read(`/proc/${pid}/cmdline`)
    .split(place)
    .slice(1)
    .some((rest) => /^[^\w.-]|^$/.test(rest))
}

/** Who has become the parent of processes that lost theirs. @param {number} pid */
const adopts = (pid) => pid === 1 || read(`/proc/${pid}/comm`) === 'systemd\n'

/** @param {number} pid */
function parentOf(pid) {
  return Number(/^PPid:\s+(\d+)$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0)
}

/** @typedef {{ device: string, root: string, point: string }} Mount `root` is what of the device is seen at `point` */

/**
 * Whether it sees a part of the folder in a mount namespace of its own. A process with a mere copy of our namespace, such as a
 * system service, sees the same as we do; it has the same root.
 * @param {number} pid @param {{ device: string, root: string } | null} source @param {{ namespace: string, mounts: Mount[] }} own
 */
function isSandboxWith(pid, source, own) {
  const namespace = link(`/proc/${pid}/ns/mnt`)
  if (source === null || namespace === '' || namespace === own.namespace) return false
  const mounts = mountsOf(pid)
  const top = topOf(mounts)
  if (top === undefined || top === topOf(own.mounts)) return false
  return mounts.some(({ device, root }) => device === source.device && isWithin(root, source.root))
}

/** @param {Mount[]} mounts */
function topOf(mounts) {
  const top = mounts.findLast(({ point }) => point === '/')
  return top && `${top.device} ${top.root}`
}

/** On which device a folder is, and where there. @param {string} place @param {Mount[]} mounts */
function sourceOf(place, mounts) {
  const around = mounts.filter(({ point }) => isWithin(place, point))
  // Of two mounts at the same place the later one is visible.
  const nearest = around.sort((a, b) => a.point.length - b.point.length).at(-1)
  if (nearest === undefined) return null
  const below = nearest.point === '/' ? place : place.slice(nearest.point.length)
  return { device: nearest.device, root: `${nearest.root === '/' ? '' : nearest.root}${below}` }
}

/** @param {string | number} pid @returns {Mount[]} */
function mountsOf(pid) {
  const lines = read(`/proc/${pid}/mountinfo`).split('\n')
  return lines.flatMap((line) => {
    const [, , device, root, point] = line.split(' ')
    return device && root && point ? [{ device, root, point }] : []
  })
}

/** @param {string} file @param {string} folder */
const isWithin = (file, folder) => file === folder || file.startsWith(folder === '/' ? '/' : `${folder}/`)

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** @param {string} file */
function link(file) {
  try {
    return readlinkSync(file)
  } catch {
    return ''
  }
}
