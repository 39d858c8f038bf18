import { readFileSync } from 'node:fs'
import { residentBytes } from '../peers/hub.ts'

/** The CPU time that a process has used so far, all its threads, in steps of the kernel's 10 ms. */
export function cpuMs(pid: number): number {
  // The name stands in brackets and may hold anything, brackets too.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** The most memory each process held at any time while `work` went on, looked at every 20 ms. */
export async function peaksDuring<T>(
  pids: readonly number[],
  work: () => Promise<T>,
): Promise<{ peaks: number[]; result: T }> {
  const peaks = pids.map(() => 0)
  const look = () => {
    for (const [n, pid] of pids.entries()) peaks[n] = Math.max(peaks[n]!, residentBytes(pid))
  }
  const timer = setInterval(look, 20)
  try {
    look()
    const result = await work()
    look()
    return { peaks, result }
  } finally {
    clearInterval(timer)
  }
}
