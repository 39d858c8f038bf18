import { spawn } from 'node:child_process'

type Options = { cwd?: string; mostMs?: number | undefined }

/** Runs a program without showing its output; if it fails, the error contains it. */
export function runQuietly(command: string, args: readonly string[], options: Options = {}): Promise<void> {
  const { cwd, mostMs } = options
  const child = spawn(command, args, { cwd, timeout: mostMs, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0) return resolve()
      const end = signal ? `${command} was ended with ${signal}` : `${command} ended with ${code}`
      reject(new Error([said.trim(), signal || !said.trim() ? end : ''].filter(Boolean).join('\n')))
    })
  })
}
