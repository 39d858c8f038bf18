import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, vi } from 'vitest'

export { removeFolder, temporaryFolder } from '@farhand/testkit/temporary-folder'

/** The command as a shell would call it. */
export const farhandBin = fileURLToPath(new URL('../bin/farhand.cjs', import.meta.url))

export type Started = {
  child: ChildProcess
  /** The next line on standard output. */
  line(): Promise<string>
  /** What it has written on standard error so far. */
  errors(): string
  exitCode: Promise<number | null>
}

/** The environment, without settings of the user who runs the tests: those must not reach the program under test. */
export const ownEnv = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('FARHAND_')))

/** Starts the command as a shell would, and kills it when the test is over if it still runs. */
export function farhand(...args: string[]): Started {
  const child = spawn(process.execPath, [farhandBin, ...args], {
    env: ownEnv(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let errors = ''
  child.stderr.on('data', (text) => {
    errors += text
  })
  const exitCode = new Promise<number | null>((resolve) => child.on('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exitCode
  })
  const line = async () => {
    const next = await lines.next()
    if (next.done) throw new Error(`it ended without another line; on standard error it wrote:\n${errors}`)
    return next.value
  }
  return { child, line, errors: () => errors, exitCode }
}

/** Ends the process that holds something, if there is one, and resolves when none holds it. */
export async function endHolder(
  holder: () => number | null,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<void> {
  const pid = holder()
  if (pid !== null) sendSignal(pid, signal)
  await vi.waitFor(() => expect(holder()).toBeNull(), { timeout: 30_000 })
}

/** Also to one that may be ending by itself just now. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
