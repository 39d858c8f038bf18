import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync } from 'node:fs'

export function exists(file: string): boolean {
  try {
    accessSync(file)
    return true
  } catch {
    return false
  }
}

/** Runs a command to its end. One that cannot be started is one that failed. */
export async function runCommand(
  command: string,
  args: readonly string[],
): Promise<{ code: number | null; output: string }> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.on('data', (text) => {
    output += text
  })
  child.stderr.on('data', (text) => {
    output += text
  })
  try {
    const [code] = await once(child, 'close')
    return { code, output }
  } catch (error) {
    return { code: -1, output: String(error) }
  }
}
