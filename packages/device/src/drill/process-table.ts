import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { readProcessStat } from '@farhand/kit/process-stat'

export type ProcessRow = { pid: number; parent: number; words: string }

/** All processes of this machine that can be seen. */
export function processTable(platform: string): ProcessRow[] {
  if (platform === 'linux')
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? rowOf(name) : []))
  const text = execFileSync('ps', ['-axo', 'pid=,ppid=,args='], { encoding: 'utf8' })
  return text.split('\n').flatMap((line) => {
    const [, pid, parent, words] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), words: words ?? '' }]
  })
}

function rowOf(name: string): ProcessRow[] {
  try {
    const stat = readProcessStat(readFileSync(`/proc/${name}/stat`, 'latin1'))
    if (!stat) return []
    const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').join(' ').trim()
    return [{ pid: stat.pid, parent: stat.parent, words }]
  } catch {
    // It has ended since.
    return []
  }
}

/** The process and all its descendants, nearest first. */
export function familyOf(pid: number, table: readonly ProcessRow[]): ProcessRow[] {
  const family = table.filter((row) => row.pid === pid)
  for (let at = 0; at < family.length; at++)
    family.push(...table.filter(({ parent }) => parent === family[at]!.pid))
  return family
}
