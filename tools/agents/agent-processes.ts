import { readdirSync, readFileSync } from 'node:fs'
import { markName } from '../../packages/runner/src/processes/process-family.ts'

/** The processes of the agent of this run: the one that a runner has started, and all that came of it. */
export function agentProcesses(run: string): number[] {
  const pids = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
  return pids.filter((pid) => isMarked(pid, run))
}

/** The process that a runner talks with, and the runner: the parent that bears no mark. */
export function agentAndRunner(run: string): { agent: number; runner: number } | null {
  const all = agentProcesses(run)
  for (const agent of all) {
    const runner = parentOf(agent)
    if (runner !== null && !all.includes(runner) && isRunner(runner)) return { agent, runner }
  }
  return null
}

// The rest of the mark says which folder the run has there. What has died and waits for its parent has no environment.
const isMarked = (pid: number, run: string) => `\0${read(pid, 'environ')}`.includes(`\0${markName}=${run} `)

// When a process dies, the system gives its children another parent, so they cannot be found through the agent.
const isRunner = (pid: number) => read(pid, 'cmdline').split('\0').includes('runner')

function parentOf(pid: number): number | null {
  const stat = read(pid, 'stat')
  // The name is in parentheses and may itself hold any character; then come state and parent.
  const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return parent === undefined ? null : Number(parent)
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    // It has ended meanwhile.
    return ''
  }
}
