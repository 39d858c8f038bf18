import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

export type Child = {
  pid: number
  process: ChildProcess
  output(from?: number): string
  stop(): Promise<void>
}

/** Which of a child's standard streams are ours to use, and what it has besides them. */
export type Stdio = { pipes?: 'none' | 'stdin' | 'both'; extra?: ('pipe' | 'ipc')[] }

/** Starts processes and ends exactly those, by pid. What they print goes to files: reading pipes would cost load. */
export class Children {
  readonly #folder: string
  readonly #running = new Set<Child>()
  #count = 0
  #over = false

  constructor(folder: string) {
    this.#folder = folder
  }

  start(command: string, args: readonly string[], { extra = [], pipes = 'none' }: Stdio = {}): Child {
    if (this.#over) throw new Error('nothing is started any more')
    const printed = join(this.#folder, `child-${++this.#count}.out`)
    const out = openSync(printed, 'a')
    const stdin = pipes === 'none' ? 'ignore' : 'pipe'
    const stdout = pipes === 'both' ? 'pipe' : out
    const process = spawn(command, args, { stdio: [stdin, stdout, out, ...extra] })
    closeSync(out)
    if (process.pid === undefined) throw new Error(`${command} could not be started`)
    const child: Child = {
      pid: process.pid,
      process,
      output: (from = 0) => readFrom(printed, from),
      stop: () => this.#stop(child),
    }
    this.#running.add(child)
    return child
  }

  /** Ends everything still running, for good; safe to call twice. */
  async stopAll(): Promise<void> {
    this.#over = true
    await this.stopRunning()
  }

  /** Ends what runs now, to give others the machine for themselves. */
  async stopRunning(): Promise<void> {
    await Promise.all([...this.#running].map((child) => this.#stop(child)))
  }

  /** For a last moment that cannot wait. SIGKILL would leave the worker of an nginx behind. */
  signalAll(): void {
    for (const child of this.#running) child.process.kill('SIGTERM')
  }

  async #stop(child: Child): Promise<void> {
    if (!this.#running.delete(child)) return
    const { process } = child
    if (process.exitCode !== null || process.signalCode !== null) return
    const exited = once(process, 'exit')
    process.kill('SIGTERM')
    const late = setTimeout(() => process.kill('SIGKILL'), 8_000)
    await exited
    clearTimeout(late)
  }
}

function readFrom(file: string, from: number): string {
  const opened = openSync(file, 'r')
  try {
    const bytes = Buffer.allocUnsafe(Math.max(0, fstatSync(opened).size - from))
    return bytes.toString('utf8', 0, readSync(opened, bytes, 0, bytes.length, from))
  } finally {
    closeSync(opened)
  }
}

export type Patience = { limitMs?: number | undefined; everyMs?: number | undefined }

async function until<T>(
  child: Child,
  what: string,
  look: () => Promise<T | null>,
  { limitMs = 30_000, everyMs = 5 }: Patience = {},
): Promise<T> {
  const deadline = performance.now() + limitMs
  while (performance.now() < deadline) {
    const found = await look()
    if (found !== null) return found
    if (child.process.exitCode !== null || child.process.signalCode !== null) {
      throw new Error(`${what}: it ended early: ${child.output().slice(-600).trim()}`)
    }
    await wait(everyMs)
  }
  throw new Error(`${what}: not within ${limitMs / 1000} s: ${child.output().slice(-600).trim()}`)
}

/** The first JSON object the child prints on a line of its own that `pick` accepts. */
export function printedJson<T>(
  child: Child,
  pick: (value: Record<string, unknown>) => T | null,
  patience?: Patience,
): Promise<T> {
  let at = 0
  const look = async () => {
    // Some print much, and reading all of it each time would slow them down.
    const text = child.output(at)
    const end = text.lastIndexOf('\n') + 1
    at += Buffer.byteLength(text.slice(0, end))
    for (const line of text.slice(0, end).split('\n')) {
      if (!line.startsWith('{')) continue
      const found = pick(JSON.parse(line))
      if (found !== null) return found
    }
    return null
  }
  return until(child, 'waiting for what it prints', look, patience)
}

export function printedPort(child: Child): Promise<number> {
  return printedJson(child, (value) => (typeof value.port === 'number' ? value.port : null))
}

/** Resolves once something accepts connections there. */
export function answers(child: Child, port: number): Promise<true> {
  return until(child, `waiting for port ${port}`, async () => {
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return true
    } catch {
      return null // refused: not listening yet
    } finally {
      socket.destroy()
    }
  })
}

/** A free port, for servers that cannot choose one themselves. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return address.port
}
