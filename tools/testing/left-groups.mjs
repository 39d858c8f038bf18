import { readdirSync, readFileSync, rmdirSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'

const prefix = 'farhand-sandbox-'
const lookMs = 200
/** How often a group is checked before it counts as one of another test run. */
const looks = 25

/**
 * Watches the control groups that hubs make for sandboxes from now on. A hub that a test kills, and whose data it removes,
 * leaves its groups behind for ten minutes, until the next hub removes them. Tests cannot wait that long: they are removed here.
 * Groups of another test run on this machine stay: a group is one of ours if one of our processes was seen in it.
 * @param {(pids: number[]) => boolean} isOurs
 * @param {string[]} [parents] where groups may be made
 * @returns {(patienceMs?: number) => Promise<string[]>} removes them, and says which cannot be removed
 */
export function watchGroups(isOurs, parents = groupsAbove()) {
  const before = new Set(groupsIn(parents).map((group) => path.basename(group)))
  /** @type {Set<string>} */
  const ours = new Set()
  /** @type {Map<string, number>} */
  const looked = new Map()
  const look = () => {
    for (const group of groupsIn(parents)) {
      const name = path.basename(group)
      const times = looked.get(name) ?? 0
      if (before.has(name) || ours.has(name) || times > looks * parents.length) continue
      const pids = read(path.join(group, 'cgroup.procs')).split('\n').filter(Boolean).map(Number)
      if (pids.length === 0) continue
      looked.set(name, times + 1)
      if (isOurs(pids)) ours.add(name)
    }
  }
  const watching = setInterval(look, lookMs)
  watching.unref()
  return async (patienceMs = 5_000) => {
    clearInterval(watching)
    look()
    const own = () => groupsIn(parents).filter((group) => ours.has(path.basename(group)))
    const enough = performance.now() + patienceMs
    while (own().filter((group) => !isRemoved(group)).length > 0 && performance.now() < enough)
      await pause(lookMs)
    return [...new Set(own().map(() => `${prefix}*`))]
  }
}

/** The groups that this process is in, and all above them. */
function groupsAbove() {
  if (process.platform !== 'linux') return []
  const points = read('/proc/self/mountinfo')
    .split('\n')
    .filter((line) => / - cgroup2? /.test(line))
    .map((line) => line.split(' ')[4] ?? '')
  const own = read('/proc/self/cgroup')
    .split('\n')
    .map((line) => line.split(':').slice(2).join(':'))
  const all = points.flatMap((point) =>
    own.flatMap((group) => {
      const names = group.split('/').filter(Boolean)
      return names.map((_, nth) => path.join(point, ...names.slice(0, nth + 1))).concat(point)
    }),
  )
  return [...new Set(all)]
}

/** @param {string[]} parents */
function groupsIn(parents) {
  return parents.flatMap((parent) => {
    try {
      return readdirSync(parent)
        .filter((name) => name.startsWith(prefix))
        .map((name) => path.join(parent, name))
    } catch {
      return []
    }
  })
}

/** @param {string} group */
function isRemoved(group) {
  try {
    rmdirSync(group)
    return true
  } catch {
    return false
  }
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
