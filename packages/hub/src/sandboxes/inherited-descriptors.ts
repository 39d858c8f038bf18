import { readdirSync, readFileSync } from 'node:fs'

const closeOnExec = 0o2000000
/** The first four are said for each program. */
const firstFree = 4

/**
 * What to say to `spawn` of the file descriptors from 4 on: those that this process was started with, unknown to itself,
 * would be open in the program too, and lead who knows where. The given one takes their place.
 */
export function coverInheritedDescriptors(nothing: number): (number | 'ignore')[] {
  const open = inheritable()
  const last = Math.max(firstFree - 1, ...open)
  return Array.from({ length: last - firstFree + 1 }, (_, at) =>
    open.includes(at + firstFree) ? nothing : 'ignore',
  )
}

function inheritable(): number[] {
  try {
    return readdirSync('/proc/self/fdinfo').map(Number).filter(isInheritable)
  } catch {
    // Only Linux tells.
    return []
  }
}

/** Node opens none of that kind itself. */
function isInheritable(fd: number): boolean {
  try {
    const [, flags] = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? []
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0
  } catch {
    // It was the one through which the list was read.
    return false
  }
}
