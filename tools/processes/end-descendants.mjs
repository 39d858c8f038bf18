import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import process from 'node:process'

/**
 * Kills every process that this one has started, and their descendants. For tests: a worker that dies first would leave
 * its programs running.
 */
export function endDescendants() {
  if (process.platform === 'win32') return
  const parents = process.platform === 'linux' ? parentsInProc() : parentsFromPs()
  for (const pid of descendants(process.pid, parents)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It is gone already.
    }
  }
}

/** @param {number} of @param {readonly (readonly [pid: number, parent: number])[]} parents @returns {number[]} */
function descendants(of, parents) {
  const children = parents.filter(([, parent]) => parent === of).map(([pid]) => pid)
  return children.flatMap((pid) => [pid, ...descendants(pid, parents)])
}

/** @returns {[number, number][]} */
function parentsInProc() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        // The name stands in brackets and may hold anything, brackets too; state and parent follow it.
        const parent = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]
        return [[Number(pid), Number(parent)]]
      } catch {
        return []
      }
    })
}

/** @returns {[number, number][]} */
function parentsFromPs() {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  return rows.map((row) => {
    const [pid = 0, parent = 0] = row.trim().split(/\s+/).map(Number)
    return [pid, parent]
  })
}
