import { spawn } from 'node:child_process'
import { StringDecoder } from 'node:string_decoder'
import { sleep } from '@farhand/kit/sleep'
import { within } from '@farhand/kit/within'
import { endFamily, isAnyLeft, markName } from '../processes/process-family.ts'

export type CommandParts = {
  command: string
  cwd: string
  env: Readonly<Record<string, string>>
  /** Marks all processes that it starts, so that a later runner finds them, too. */
  mark: string
  limitMs: number
  output: (text: string) => void
  /** Ends the command and all processes it started. */
  signal: AbortSignal
}

/** How a command ended: `error` is null on success. */
export type CommandEnd = { error: string | null; leftRunning: boolean }

const termMs = 2_000
/** How long output is read after the command's end: processes in its background may keep the pipe open. */
const lateOutputMs = 200

/** Runs a command line until it ends, takes too long, or is aborted; never rejects. */
export async function runCommand(parts: CommandParts): Promise<CommandEnd> {
  const { command, cwd, env, mark, limitMs, output, signal } = parts
  // Processes left by an earlier runner would do the same at the same time.
  await endFamily({ group: null, mark }, termMs)
  if (signal.aborted) return { error: 'It was ended before it began.', leftRunning: false }
  const child = spawn('sh', ['-c', command], {
    cwd,
    env: { ...env, [markName]: mark },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const pipe of [child.stdout, child.stderr]) {
    const decoder = new StringDecoder()
    pipe.on('data', (bytes: Buffer) => output(decoder.write(bytes)))
    pipe.on('end', () => output(decoder.end()))
  }
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const ended = new Promise<string | null>((resolve) => {
    child.once('error', ({ message }) => resolve(`It could not be started: ${message}.`))
    child.once('exit', (code, by) => resolve(by ? `It was ended by ${by}.` : whyNot(code)))
  })
  const over = new AbortController()
  const late = sleep(limitMs, { signal: AbortSignal.any([signal, over.signal]) }).then(
    () => `It took longer than ${inWords(limitMs)}, and was ended.`,
    () => (signal.aborted ? 'It was ended before it was done.' : null),
  )
  const family = { group: child.pid ?? null, mark }
  const first = await Promise.race([ended.then((error) => ({ error, isCut: false })), cut(late)])
  over.abort()
  if (first.isCut) await endFamily(family, termMs)
  await within(lateOutputMs, closed)
  // Processes in its background are no longer read, but not blocked either.
  for (const pipe of [child.stdout, child.stderr])
    pipe
      .removeAllListeners()
      .on('error', () => {})
      .resume()
  return { error: first.error, leftRunning: !first.isCut && isAnyLeft(family) }
}

/** Resolves only if the command has to be ended; otherwise its own end decides. */
const cut = (late: Promise<string | null>) =>
  late.then((error) => (error === null ? new Promise<never>(() => {}) : { error, isCut: true }))

const whyNot = (code: number | null) => (code === 0 ? null : `It ended with code ${code}.`)

const inWords = (ms: number) =>
  ms >= 60_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 1000)} s`
