import { spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'

export type GitRun = {
  /** What it is told beside its arguments, as bytes or by somebody who writes them as they come. */
  input?: string | Uint8Array | ((to: Writable) => Promise<void>)
  env?: Readonly<Record<string, string>>
  cwd?: string
  signal?: AbortSignal | undefined
}

/** Git ended otherwise than hoped; the message is what it said. */
export class GitTrouble extends Error {
  readonly status: number | null

  constructor(what: string, said: string, status: number | null) {
    super(
      `git ${what}: ${said.trim().split('\n').slice(-3).join(' ').slice(0, 500) || `ended with ${status}`}`,
    )
    this.name = 'GitTrouble'
    this.status = status
  }
}

// Nothing of whoever this machine belongs to, no program that a repository names, and no work nobody asked for.
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

/** The system's git, run so that nothing but its arguments and the repository's objects decide what it does. */
export class Git {
  /** Whether it gives way to everybody else who wants the processor. */
  isNice = false
  readonly #env: Readonly<Record<string, string>>

  /** `path` is where programs are looked for, as a shell has it. */
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

  /** What it printed. Throws GitTrouble if it fails. */
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

  /** As `run`, for what is too long to hold. */
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
    // One that has nothing to read may be gone before it is told so.
    if (input === '') child.stdin.on('error', () => {}).end()
    child.stderr.on('data', (piece: Buffer) => said.push(piece))
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
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
    // Why it ended is the news; that it did not listen to the end comes from that.
    if (status.value !== 0) throw new GitTrouble(name, Buffer.concat(said).toString(), status.value)
    if (heard.status === 'rejected') throw heard.reason
    // It has all it needs when it says so, and may be gone before it is told that there is no more.
    if (told.status === 'rejected' && !hungUp.has(told.reason?.code)) throw told.reason
  }
}

/** Git as the agent would call it: with its environment and settings, and still without what a repository has it run. */
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
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (status !== 0) throw new Error(`git ${args[0]} failed: ${said.trim() || `it ended with ${status}`}`)
}

const asAgent = [
  'safe.bareRepository=explicit',
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'submodule.recurse=false',
  'protocol.ext.allow=never',
].flatMap((setting) => ['-c', setting])

/** Whether it could not even be started. */
export const isNoProgram = (error: unknown): boolean =>
  ['ENOENT', 'EACCES', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '') &&
  (error as NodeJS.ErrnoException).syscall?.startsWith('spawn') === true

function yieldTo(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, niceness)
  } catch {
    // It is over already, or this system has no such thing.
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

/** Tells git something, and resolves when it has room for more. Throws if it does not listen any more. */
export async function push(to: Writable, words: string | Uint8Array): Promise<void> {
  if (to.destroyed) throw Object.assign(new Error('git has ended'), { code: 'ERR_STREAM_DESTROYED' })
  // To wait for each little piece to be read would let git wait for most of them.
  if (to.write(words) || to.writableLength < mostWaiting) return
  await new Promise<void>((resolve) => {
    const go = () => {
      for (const event of ['drain', 'close', 'error']) to.off(event, go)
      resolve()
    }
    // Who ends without a word will never have room.
    for (const event of ['drain', 'close', 'error']) to.on(event, go)
  })
}
