import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { sleep } from '@farhand/kit/sleep'

const patienceMs = 300
const lateOutputMs = 100
const lookEveryMs = 5
const mostLooks = 40

/** Runs a command; after an abort, all processes of its group are gone when this resolves. */
export async function runShell(
  command: string,
  { cwd, signal, heard }: { cwd: string; signal: AbortSignal; heard(text: string): void },
): Promise<{ code: number | null; signal: string | null }> {
  const shell = spawn('sh', ['-c', command], { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = once(shell, 'close')
  for (const stream of [shell.stdout, shell.stderr]) stream.setEncoding('utf8').on('data', heard)
  const group = shell.pid
  const kill = (how: NodeJS.Signals | 0) => {
    try {
      return group !== undefined && process.kill(-group, how)
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
  if (signal.aborted) end()
  try {
    const [code, killedBy] = (await once(shell, 'exit')) as [number | null, string | null]
    // Background processes keep the pipes open: they might never close.
    await Promise.race([closed, sleep(lateOutputMs)])
    return { code, signal: killedBy }
  } finally {
    clearTimeout(insist)
    signal.removeEventListener('abort', end)
    if (signal.aborted) kill('SIGKILL')
    // Limited: where no process reaps zombies, they stay in their group.
    for (let looks = 0; signal.aborted && looks < mostLooks && kill(0); looks += 1) await sleep(lookEveryMs)
    for (const stream of [shell.stdout, shell.stderr]) stream.destroy()
    closed.catch(() => {})
  }
}
