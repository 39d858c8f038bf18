import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

/** Where this process goes to make room: a group that has processes itself cannot have limits below it. */
const ownName = 'farhand-hub'

/**
 * The group (version 2) below which groups with limits can be made: the own one, or the nearest above it, up to `top`.
 * Null if there is none.
 */
export function usableParent(own: string, top: string): string | null {
  // We may have moved there ourselves.
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
  const enabled = read(controlOf(group)).split(/\s+/)
  return enabled.includes('memory') && enabled.includes('pids')
}

/** Only where this process is alone: nobody else is moved. */
function takeOver(group: string): boolean {
  if (read(path.join(group, 'cgroup.procs')).trim() !== String(process.pid)) return false
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
      // It is not to be had here; what counts is what there is in the end.
    }
  }
  return hasControl(group)
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
