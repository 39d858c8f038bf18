import { readFileSync } from 'node:fs'
import process from 'node:process'

/** For systems that report no limit, such as Windows. */
const unlimited = 65_536

/** How many files and connections this process may have open together. */
export function descriptorLimit(): number {
  if (process.platform === 'win32') return unlimited
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    if (soft !== undefined) return Number(soft)
  } catch {
    // No such file: not Linux.
  }
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft: number | string } }
  }
  return Number(userLimits?.open_files?.soft) || unlimited
}
