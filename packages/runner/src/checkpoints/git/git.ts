import { type ChildProcess, spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'

export type GitRun = {
  /** Standard input: bytes, or a function that writes them. */
  input?: string | Uint8Array | ((to: Writable) => Promise<void>)
  env?: Readonly<Record<string, string>>
  cwd?: string
  signal?: AbortSignal | undefined
}

/** Git failed; the message is what it printed. */
export class GitFailed extends Error {
  readonly status: number | null

  constructor(what: string, said: string, status: number | null) {
    super(
      `git ${what}: ${said.trim().split('\n').slice(-3).join(' ').slice(0, 500) || `ended with ${status}`}`,
    )
    this.name = 'GitFailed'
    this.status = status
  }
}

// No settings of the machine's user, no programs that a repository names, no background work.
const settings = [
  'safe.bareRepository=explicit',
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.splitIndex=false',
  'core.autocrlf=false',
  'core.attributesFile=/dev/null',
  'core.excludesFile=/dev/null',
  'core.quotePath=false',
  'core.protectHFS=false',
  'core.protectNTFS=false',
  'core.fsync=none',
  'log.showSignature=false',
  'submodule.recurse=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'advice.detachedHead=false',
  'protocol.allow=never',
  'safe.directory=*',
].flatMap((setting) => ['-c', setting])

const niceness = 10
const mostWaiting = 4 * 1024 * 1024
const hungUp = new Set(['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ECONNRESET'])

/** The system's git, isolated: only its arguments and the repository's objects decide what it does. */
export class Git {
  /** Whether it runs at low CPU priority. */
  isNice = false
  readonly #env: Readonly<Record<string, string>>

  /** `path` is the PATH to search for git. */
  constructor(path: string) {
    this.#env = {
      PATH: path,
      HOME: '/nonexistent',
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_TERMINAL_PROMPT: '0',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_NO_LAZY_FETCH: '1',
    }
  }

  /** Returns its output. Throws GitFailed if it fails. */
  async run(args: readonly string[], options: GitRun = {}): Promise<Buffer> {
    const pieces: Buffer[] = []
    await this.stream(args, options, async (from) => {
      for await (const piece of from) pieces.push(piece as Buffer)
    })
    return Buffer.concat(pieces)
  }

  async text(args: readonly string[], options: GitRun = {}): Promise<string> {
    return (await this.run(args, options)).toString().trim()
  }

  /** As `run`, for output that is too long to keep in memory. */
  async stream(
    args: readonly string[],
    { input = '', env, cwd, signal }: GitRun,
    read: (from: Readable) => Promise<void>,
  ): Promise<void> {
    signal?.throwIfAborted()
    const child = spawn('git', [...settings, ...args], {
      env: { ...this.#env, ...env },
      cwd: cwd ?? '/',
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(signal && { signal, killSignal: 'SIGKILL' as const }),
    })
    const said: Buffer[] = []
    // Git may exit before its empty input is closed.
    if (input === '') child.stdin.on('error', () => {}).end()
    child.stderr.on('data', (piece: Buffer) => said.push(piece))
    const ended = endOf(child)
    ended.catch(() => {})
    if (this.isNice) yieldTo(child.pid)
    const name = args.find((arg) => !arg.startsWith('-')) ?? 'git'
    const [status, told, heard] = await Promise.allSettled([
      ended,
      input === '' ? null : feed(child.stdin, input),
      read(child.stdout),
    ])
    signal?.throwIfAborted()
    if (status.status === 'rejected') throw status.reason
    // Git's own error explains a broken pipe, so it comes first.
    if (status.value !== 0) throw new GitFailed(name, Buffer.concat(said).toString(), status.value)
    if (heard.status === 'rejected') throw heard.reason
    // Git may exit as soon as it has all it needs, before its input ends.
    if (told.status === 'rejected' && !hungUp.has(told.reason?.code)) throw told.reason
  }
}

/** Runs git as the agent would, with its environment and settings, but without programs that a repository names. */
export async function runGitAsAgent(
  args: readonly string[],
  { cwd, env, signal }: { cwd: string; env: Readonly<Record<string, string>>; signal: AbortSignal },
): Promise<void> {
  const child = spawn('git', [...asAgent, ...args], {
    cwd,
    env: { ...env, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
  })
  let said = ''
  child.stderr.on('data', (piece: Buffer) => {
    said = `${said}${piece}`.slice(-2_000)
  })
  const status = await endOf(child)
  if (status !== 0) throw new Error(`git ${args[0]} failed: ${said.trim() || `it ended with ${status}`}`)
}

const asAgent = [
  'safe.bareRepository=explicit',
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'submodule.recurse=false',
  'protocol.ext.allow=never',
].flatMap((setting) => ['-c', setting])

const endOf = (child: ChildProcess) =>
  new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })

/** Whether git could not even be started. */
export const isNoProgram = (error: unknown): boolean =>
  ['ENOENT', 'EACCES', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '') &&
  (error as NodeJS.ErrnoException).syscall?.startsWith('spawn') === true

function yieldTo(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, niceness)
  } catch {
    // It has already ended, or the system has no priorities.
  }
}

async function feed(to: Writable, input: NonNullable<GitRun['input']>): Promise<void> {
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
