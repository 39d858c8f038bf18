import { Console } from 'node:console'
import process from 'node:process'
import { sleep } from '@farhand/kit/sleep'
import type { Environment } from './model/model-choice.ts'
import { serveBuiltin } from './serve-builtin.ts'

const patienceMs = 1_500

/** Is the built-in agent, on the standard input and output of this process, which ends with it. */
export function runBuiltin(env: Environment): void {
  // A library that prints something would break the line to our host.
  globalThis.console = new Console(process.stderr)

  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort())
  // Whoever hosted us is gone and reads no more; the end of the input, which comes too, ends us.
  process.stdout.on('error', () => {})

  const { platform, stdin: input, stdout: output } = process
  const served = serveBuiltin({ env, platform, input, output, stop: stop.signal })
  stop.signal.addEventListener('abort', () => void leave())
  void served.then(() => process.exit(0))

  async function leave(): Promise<void> {
    await Promise.race([served, sleep(patienceMs)])
    process.exit(0)
  }
}
