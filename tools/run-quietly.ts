import { spawn } from 'node:child_process'

/** Runs a program of which nobody sees anything unless it fails: then the error has what it said. */
export function runQuietly(command: string, args: readonly string[], cwd?: string): Promise<void> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(said.trim() || `${command} ended with ${code}`)),
    )
  })
}
