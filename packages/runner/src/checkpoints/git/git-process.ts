import { spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'

export type GitProcess = {
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  /** For this call, besides `guards`. */
  settings?: readonly string[]
  /** Standard input: bytes, or a function that writes them. */
  input?: string | Uint8Array | ((to: Writable) => Promise<void>) | undefined
  signal?: AbortSignal | undefined
  /** How git is ended when the signal is aborted. */
  killSignal?: NodeJS.Signals
  /** Whether it runs at low CPU priority. */
  isNice?: boolean
  /** How much of its error output is kept: the end of it. */
  mostStderr?: number
}

/** Git ended with a code other than 0, or could not be started at all (then it is null). */
export class GitFailed extends Error {
  readonly code: number | null
  readonly stderr: string

  constructor(args: readonly string[], code: number | null, stderr: string) {
    super(`git ${args.find((arg) => !arg.startsWith('-')) ?? ''}: ${stderr.trim() || `exit code ${code}`}`)
    this.name = 'GitFailed'
    this.code = code
    this.stderr = stderr
  }
}

// Git runs what a repository names, also in the background. Git before 2.38 does not know the first setting.
const guards = [
  'safe.bareRepository=explicit',
  'core.fsmonitor=false',
  'core.pager=cat',
  'core.editor=:',
  'log.showSignature=false',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'push.recurseSubmodules=no',
  'protocol.ext.allow=never',
  'gc.auto=0',
  'maintenance.auto=false',
]

/** A setting for `GitProcess`: git runs the hooks of no repository. */
export const noHooks = 'core.hooksPath=/dev/null'

/** The arguments of git with the settings that keep it from running programs that a repository names. */
export const guarded = (args: readonly string[], settings: readonly string[]): string[] => [
  ...[...guards, ...settings].flatMap((setting) => ['-c', setting]),
  ...args,
]

/** Messages are in English, git asks nothing, and takes no optional locks. */
export const quiet = {
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
}

const niceness = 10
const mostWaiting = 4 * 1024 * 1024
const hungUp = new Set(['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ECONNRESET'])

/** Runs git and returns its output. Throws GitFailed if it fails, and the signal's reason after an abort. */
export async function runGit(args: readonly string[], options: GitProcess): Promise<Buffer> {
  const pieces: Buffer[] = []
  await streamGit(args, options, async (from) => {
    for await (const piece of from) pieces.push(piece as Buffer)
  })
  return Buffer.concat(pieces)
}

/** As `runGit`, for output that is too long to keep in memory. */
export async function streamGit(
  args: readonly string[],
  options: GitProcess,
  read: (from: Readable) => Promise<void>,
): Promise<void> {
  const { cwd, env, settings = [], input = '', signal, killSignal = 'SIGTERM', mostStderr = 10_000 } = options
  signal?.throwIfAborted()
  const child = spawn('git', guarded(args, settings), {
    env: { ...quiet, ...env },
    cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(signal && { signal, killSignal }),
  })
  let stderr = ''
  // Git may exit before its empty input is closed.
  if (input === '') child.stdin.on('error', () => {}).end()
  child.stderr.on('data', (piece: Buffer) => {
    stderr = `${stderr}${piece}`.slice(-mostStderr)
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  // A program that git has started may keep the pipes open.
  ended.catch(() => {
    child.stdin.destroy()
    child.stdout.destroy()
  })
  if (options.isNice) yieldTo(child.pid)
  const [status, told, heard] = await Promise.allSettled([
    ended,
    input === '' ? null : feed(child.stdin, input),
    read(child.stdout),
  ])
  signal?.throwIfAborted()
  if (status.status === 'rejected') throw whyNotStarted(args, status.reason)
  // Git's own error explains a broken pipe, so it comes first.
  if (status.value !== 0) throw new GitFailed(args, status.value, stderr)
  if (heard.status === 'rejected') throw heard.reason
  // Git may exit as soon as it has all it needs, before its input ends.
  if (told.status === 'rejected' && !hungUp.has(told.reason?.code)) throw told.reason
}

const whyNotStarted = (args: readonly string[], error: NodeJS.ErrnoException) =>
  error.code === 'ENOENT' ? new GitFailed(args, null, 'there is no program of that name') : error

function yieldTo(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, niceness)
  } catch {
    // It has already ended, or the system has no priorities.
  }
}

async function feed(to: Writable, input: NonNullable<GitProcess['input']>): Promise<void> {
  const over = finished(to)
  over.catch(() => {})
  try {
    if (typeof input === 'function') await input(to)
    else to.write(input)
    to.end()
    await over
  } catch (error) {
    to.destroy()
    throw error
  }
}

/** Writes to git's input; resolves when there is room for more. Throws if git has ended. */
export async function push(to: Writable, words: string | Uint8Array): Promise<void> {
  if (to.destroyed) throw Object.assign(new Error('git has ended'), { code: 'ERR_STREAM_DESTROYED' })
  // Waiting for each small piece would slow git down.
  if (to.write(words) || to.writableLength < mostWaiting) return
  await new Promise<void>((resolve) => {
    const go = () => {
      for (const event of ['drain', 'close', 'error']) to.off(event, go)
      resolve()
    }
    // A process that ends without an event would never have room.
    for (const event of ['drain', 'close', 'error']) to.on(event, go)
  })
}
