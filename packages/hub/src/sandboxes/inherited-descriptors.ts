import { readdirSync, readFileSync } from 'node:fs'

const closeOnExec = 0o2000000
/** Descriptors 0 to 3 are set for each program. */
const firstFree = 4

/**
 * The `stdio` entries for `spawn` from descriptor 4 on. Descriptors that this process has inherited itself would be open in the program
 * too and could leak files into the sandbox. They are replaced by the given one.
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
    // Only Linux has this folder.
    return []
  }
}

/** Whether a child process inherits it. Node opens none of these itself. */
function isInheritable(fd: number): boolean {
  try {
    const [, flags] = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? []
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0
  } catch {
    // It was the descriptor through which the list was read.
    return false
  }
}
