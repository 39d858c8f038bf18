import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { sleep } from '@farhand/kit/sleep'

const patienceMs = 500
const lateOutputMs = 200
const lookEveryMs = 5
const mostLooks = 40

type Options = {
  shell: string
  cwd: string
  env?: Readonly<Record<string, string>>
  signal: AbortSignal
  /** Whether what it leaves in the background goes on, unless it was aborted. */
  leavesRest?: boolean
  heard(text: string): void
}

/** Runs a command line; once this settles, all processes of its group are gone, also those in the background. */
export async function runCommand(
  command: string,
  { shell, cwd, env, signal, leavesRest = false, heard }: Options,
): Promise<{ code: number | null; signal: string | null }> {
  signal.throwIfAborted()
  const child = spawn(shell, ['-c', command], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = once(child, 'close').catch(() => {})
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', heard)
  const kill = (how: NodeJS.Signals | 0) => {
    try {
      return child.pid !== undefined && process.kill(-child.pid, how)
    } catch {
      // The group is empty.
      return false
    }
  }
  let insist: NodeJS.Timeout | undefined
  const end = () => {
    kill('SIGTERM')
    insist = setTimeout(() => kill('SIGKILL'), patienceMs)
  }
  signal.addEventListener('abort', end, { once: true })
  try {
    const [code, killedBy] = (await once(child, 'exit')) as [number | null, string | null]
    // Background processes keep the pipes open: they might never close.
    await Promise.race([closed, sleep(lateOutputMs)])
    return { code, signal: killedBy }
  } finally {
    clearTimeout(insist)
    signal.removeEventListener('abort', end)
    if (!leavesRest || signal.aborted) {
      kill('SIGKILL')
      // Limited: where no process reaps zombies, they stay in their group.
      for (let looks = 0; looks < mostLooks && kill(0); looks += 1) await sleep(lookEveryMs)
    }
    for (const stream of [child.stdout, child.stderr]) stream.destroy()
  }
}
