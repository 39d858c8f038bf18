import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { sleep } from '@farhand/kit/sleep'
import { within } from '@farhand/kit/within'

const patienceMs = 500
const lateOutputMs = 200
const lookEveryMs = 5
const mostLooks = 40

export type CommandEnd = { code: number | null; signal: string | null }

type Options = {
  shell: string
  cwd: string
  /** That of this process if not given. */
  env?: Readonly<Record<string, string>>
  signal: AbortSignal
  heard(text: string): void
  /** Whether what it left running in the background is ended with it. */
  endsBackground: boolean
}

/** Runs a command line. After an abort, all processes of its group are gone once this settles. */
export async function runCommand(
  command: string,
  { shell, cwd, env, signal, heard, endsBackground }: Options,
): Promise<CommandEnd> {
  signal.throwIfAborted()
  const child = spawn(shell, ['-c', command], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = once(child, 'close').catch(() => {})
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', heard)
  let insist: NodeJS.Timeout | undefined
  const end = () => {
    killGroup(child.pid, 'SIGTERM')
    insist = setTimeout(() => killGroup(child.pid, 'SIGKILL'), patienceMs)
  }
  signal.addEventListener('abort', end, { once: true })
  try {
    const [code, killedBy] = (await once(child, 'exit')) as [number | null, string | null]
    // Background processes keep the pipes open: they might never close.
    await within(lateOutputMs, closed)
    return { code, signal: killedBy }
  } finally {
    clearTimeout(insist)
    signal.removeEventListener('abort', end)
    if (endsBackground || signal.aborted) killGroup(child.pid, 'SIGKILL')
    // Limited: where no process reaps zombies, they stay in their group.
    for (let looks = 0; signal.aborted && looks < mostLooks && killGroup(child.pid, 0); looks += 1)
      await sleep(lookEveryMs)
    for (const stream of [child.stdout, child.stderr]) stream.destroy()
  }
}

function killGroup(leader: number | undefined, how: NodeJS.Signals | 0): boolean {
  try {
    return leader !== undefined && process.kill(-leader, how)
  } catch {
    // The group is empty.
    return false
  }
}
