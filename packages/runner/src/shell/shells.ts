import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { sleep } from '@farhand/kit/sleep'
import { event } from '@farhand/protocol/events/event-names'
import type { Notification } from '@farhand/protocol/wire/event'
import type { Orders } from '../orders/orders.ts'
import { endFamily, markName } from '../processes/process-family.ts'

/** Output that comes together is said together, in pieces that a reader can take. */
const pieceLength = 64 * 1024
const termMs = 500
/** How long a pipe stays open for what is in it when all who are known to write to it are gone. */
const drainMs = 1000
/** How long after its own end a command is given for what it has printed: who runs on in its background may keep the pipe. */
const lateOutputMs = 200
/** Those before them were cleared by these. */
const mostCleared = 5

export type ShellsParts = {
  orders: Orders
  cwd: string
  env: Readonly<Record<string, string>>
  say: (event: Notification) => void
  /** What a runner before this one had begun is not begun again. */
  generation: number
  /** By its name and that of the folder a later runner finds what this one left behind. */
  run: string
}

type Running = {
  id: string
  child: ChildProcessByStdio<null, Readable, Readable>
  over: Promise<void>
  /** Ends it, for a reason that people are told unless it is over already. */
  end: (why: string) => void
}

/** The commands that people run in the workspace, beside the agent. Each is begun at most once. */
export class Shells {
  readonly #parts: ShellsParts
  readonly #running = new Set<Running>()
  /** Those whose end has not been said. */
  readonly #unended = new Set<string>()
  /** Whether anything was begun: what is over may have left something behind that nobody hears. */
  #hasRun = false
  #isHeld = false
  /** When nothing is left of what runners before this one had begun. */
  #cleared: Promise<void> | null = null
  /** How often they were held or let go. */
  #turns = 0

  constructor(parts: ShellsParts) {
    this.#parts = parts
  }

  /** The log has been read further: begins what was asked for, and tells of what died with an earlier runner. */
  heard(): void {
    const { orders, generation } = this.#parts
    this.#cleared ??= this.#clear()
    const stopped = new Set(orders.stoppedShells)
    orders.stoppedShells.clear()
    for (const running of this.#running) if (stopped.has(running.id)) running.end('It was stopped.\n')
    for (const [id, { command, begunBy, timeoutSeconds }] of [...orders.openShells]) {
      // From here on it is ours: what we say of it is not read back.
      orders.openShells.delete(id)
      if (begunBy !== null) {
        if (begunBy < generation) void this.#lost(id)
      } else if (stopped.has(id)) {
        this.#output({ id, stderr: 'It was stopped before it began.\n', exitCode: null })
      } else this.#run(id, command, timeoutSeconds)
    }
  }

  /** Whether a command has not ended; what one of them left in the background does not count. */
  get isBusy(): boolean {
    return this.#unended.size > 0
  }

  /** While held, nothing is read of what they print: they wait for room in their pipes. */
  pauseReading(): void {
    this.#isHeld = true
    this.#turns += 1
    for (const { child } of this.#running) for (const pipe of [child.stdout, child.stderr]) pipe.pause()
  }

  resumeReading(): void {
    this.#isHeld = false
    this.#turns += 1
    for (const { child } of this.#running) for (const pipe of [child.stdout, child.stderr]) pipe.resume()
  }

  /** Ends all that are running; resolves when none is left and the end of each has been said. */
  async stop(): Promise<void> {
    if (!this.#hasRun) return
    this.resumeReading()
    const running = [...this.#running]
    for (const { child } of running) kill(child.pid)
    await endFamily({ group: null, mark: this.#mark(this.#parts.generation) }, termMs)
    const enough = new AbortController()
    const drained = sleep(drainMs, { signal: enough.signal }).catch(() => {})
    await Promise.race([Promise.all(running.map(({ over }) => over)), drained])
    enough.abort()
  }

  #mark(generation: number): string {
    const { run, cwd } = this.#parts
    return `${run} ${cwd} commands of ${generation}`
  }

  async #clear(): Promise<void> {
    const { orders, generation } = this.#parts
    // What the last one said last may be told in our name, so that it alone does not show who had commands.
    const hosts = [...new Set([...orders.shellHosts, generation - 1])].filter((host) => host < generation)
    const marks = hosts.slice(-mostCleared).map((host) => this.#mark(host))
    await Promise.all(marks.map((mark) => endFamily({ group: null, mark }, termMs)))
  }

  async #lost(id: string): Promise<void> {
    this.#unended.add(id)
    // It is said to be over, so it has to be.
    await this.#cleared
    this.#output({ id, stderr: 'It was cut short: the sandbox ended while it ran.\n', exitCode: null })
  }

  #run(id: string, command: string, timeoutSeconds: number | undefined): void {
    const { cwd, env, generation } = this.#parts
    this.#hasRun = true
    this.#unended.add(id)
    // The first word about it, whatever it prints: the next runner must know that it was begun.
    this.#output({ id, stdout: '' })
    const child = spawn('sh', ['-c', command], {
      cwd,
      env: { ...env, [markName]: this.#mark(generation) },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const name of ['stdout', 'stderr'] as const) {
      const decoder = new StringDecoder()
      const say = (text: string) => {
        for (let at = 0; at < text.length; at += pieceLength)
          this.#output({ id, [name]: text.slice(at, at + pieceLength) })
      }
      child[name].on('data', (bytes: Buffer) => say(decoder.write(bytes)))
      child[name].on('end', () => say(decoder.end()))
      if (this.#isHeld) child[name].pause()
    }
    type End = { exitCode: number | null; stderr?: string }
    let why: string | null = null
    const end = (reason: string) => {
      if (why !== null || child.exitCode !== null || child.signalCode !== null) return kill(child.pid)
      why = reason
      kill(child.pid)
    }
    const limit =
      timeoutSeconds === undefined
        ? null
        : setTimeout(
            () => end(`It was stopped: it took longer than ${timeoutSeconds} s.\n`),
            timeoutSeconds * 1000,
          )
    const ended = new Promise<End>((resolve) => {
      child.once('error', ({ message }) => resolve({ exitCode: null, stderr: `${message}\n` }))
      child.once('close', (exitCode) => resolve({ exitCode }))
      child.once('exit', (exitCode) => void this.#heardOut().then(() => resolve({ exitCode })))
    })
    const letGo = new Promise<void>((resolve) => {
      child.once('error', () => resolve())
      child.once('close', () => resolve())
    })
    // What it left in the background is heard and ended as it was itself.
    const told = ended.then((its) => {
      if (limit) clearTimeout(limit)
      this.#output({ id, ...(why !== null && { stderr: why }), ...its })
    })
    const over = Promise.all([told, letGo]).then(() => {
      this.#running.delete(running)
    })
    const running = { id, child, over, end }
    this.#running.add(running)
  }

  /** Resolves when what is in the pipes of a command that has ended has been read, if anybody reads. */
  async #heardOut(): Promise<void> {
    for (let turns = -1; turns !== this.#turns || this.#isHeld; ) {
      turns = this.#turns
      await sleep(lateOutputMs)
    }
  }

  #output(params: { id: string } & Record<string, unknown>): void {
    if ('exitCode' in params) this.#unended.delete(params.id)
    this.#parts.say(event('sandbox_output', params))
  }
}

function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
