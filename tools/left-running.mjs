import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'

const name = 'FARHAND_TEST_RUN'

/**
 * Marks all that is started from now on, also what outlives whoever started it.
 * @returns {(patienceMs?: number) => Promise<string[]>} which of it still runs after a while, by its command line; it is ended
 */
export function markStarted() {
  const mark = `${name}=${randomUUID()}`
  process.env[name] = mark.slice(name.length + 1)
  return async (patienceMs = 10_000) => {
    // Elsewhere nobody can look into the environment of a process.
    if (process.platform !== 'linux') return []
    const enough = performance.now() + patienceMs
    while (marked(mark).length > 0 && performance.now() < enough) await pause(200)
    // What has gone between the look and this was about to end by itself: nobody has to hear of it.
    return marked(mark).flatMap(({ pid, command }) => (isKilled(pid) ? [command] : []))
  }
}

/** Whether there was still something to kill. @param {number} pid */
function isKilled(pid) {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}

/** @param {string} mark @returns {{ pid: number, command: string }[]} */
function marked(mark) {
  const others = readdirSync('/proc').filter((one) => /^\d+$/.test(one) && Number(one) !== process.pid)
  return others.flatMap((pid) => {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(mark)) return []
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
      // One that has ended and was not looked after has no command line any more.
      return command === '' ? [] : [{ pid: Number(pid), command }]
    } catch {
      return []
    }
  })
}
