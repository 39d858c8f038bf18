import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { sleep } from '@farhand/kit/sleep'

const patienceMs = 500
const lateOutputMs = 200

export type CommandEnd = { code: number | null; signal: string | null }

type Options = {
  cwd: string
  env: Readonly<Record<string, string>>
  signal: AbortSignal
  heard(text: string): void
}

/** Runs a command line; once this settles, all processes of its group are gone, also those in the background. */
export async function runCommand(command: string, { cwd, env, signal, heard }: Options): Promise<CommandEnd> {
  signal.throwIfAborted()
  const shell = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh'
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
    await Promise.race([closed, sleep(lateOutputMs)])
    return { code, signal: killedBy }
  } finally {
    clearTimeout(insist)
    signal.removeEventListener('abort', end)
    killGroup(child.pid, 'SIGKILL')
    for (const stream of [child.stdout, child.stderr]) stream.destroy()
  }
}

function killGroup(leader: number | undefined, how: NodeJS.Signals): void {
  try {
    if (leader !== undefined) process.kill(-leader, how)
  } catch {
    // The group is empty.
  }
}
