import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

/** The subgroup into which the hub moves itself: a group with processes cannot have limited groups below it. */
const ownName = 'farhand-hub'

/**
 * The group (cgroups version 2) below which limited groups can be made: the hub's own, or the nearest above it, up to `top`. Null if there
 * is none.
 */
export function usableParent(own: string, top: string): string | null {
  // The hub may have moved itself into the subgroup before.
  const first = path.basename(own) === ownName ? path.dirname(own) : own
  if (isWritable(first) && (hasControl(first) || takeOver(first))) return first
  for (let group = first; group !== top && group !== path.dirname(group); ) {
    group = path.dirname(group)
    if (isWritable(group) && hasControl(group)) return group
  }
  return null
}

export function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

const controlOf = (group: string) => path.join(group, 'cgroup.subtree_control')

function hasControl(group: string): boolean {
  const enabled = readOrEmpty(controlOf(group)).split(/\s+/)
  return enabled.includes('memory') && enabled.includes('pids')
}

/** Enables limits below a group by moving this process into a subgroup; only if it is the only process there. */
function takeOver(group: string): boolean {
  if (readOrEmpty(path.join(group, 'cgroup.procs')).trim() !== String(process.pid)) return false
  try {
    const own = path.join(group, ownName)
    mkdirSync(own, { recursive: true })
    writeFileSync(path.join(own, 'cgroup.procs'), String(process.pid))
  } catch {
    return false
  }
  for (const name of ['memory', 'pids', 'cpu']) {
    try {
      writeFileSync(controlOf(group), `+${name}`)
    } catch {
      // This controller is not available; the result is checked below.
    }
  }
  return hasControl(group)
}

export function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
