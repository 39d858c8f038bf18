import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { sleep } from '@farhand/kit/sleep'
import { within } from '@farhand/kit/within'
import { event } from '@farhand/protocol/events/event-names'
import type { Notification } from '@farhand/protocol/wire/event'
import type { Orders } from '../orders/orders.ts'
import { endFamily, markName } from '../processes/process-family.ts'

/** Output is written in pieces of this length at most. */
const pieceLength = 64 * 1024
const termMs = 500
/** How long a pipe is read on after all known writers are gone. */
const drainMs = 1000
/** How long a command's output is read after its end: processes in its background may keep the pipe open. */
const lateOutputMs = 200
/** How many earlier generations are cleaned up after; the older ones were cleaned up by these. */
const mostCleared = 5

export type ShellsParts = {
  orders: Orders
  cwd: string
  env: Readonly<Record<string, string>>
  emit: (event: Notification) => void
  /** Commands that an earlier generation began are not begun again. */
  generation: number
  /** The run's id: with the folder, it marks processes so that a later runner finds them. */
  run: string
}

type Running = {
  id: string
  child: ChildProcessByStdio<null, Readable, Readable>
  over: Promise<void>
  /** Ends it, and tells users the reason unless it has ended already. */
  end: (why: string) => void
}

/** Runs the shell commands of users in the workspace, beside the agent. Each is begun at most once. */
export class Shells {
  readonly #parts: ShellsParts
  readonly #running = new Set<Running>()
  /** Commands whose end is not in the log. */
  readonly #unended = new Set<string>()
  /** Whether any command was begun: a finished one may have left processes behind. */
  #hasRun = false
  #isHeld = false
  /** Resolves when the processes of earlier runners are gone. */
  #cleared: Promise<void> | null = null
  /** How often reading was paused or resumed. */
  #turns = 0

  constructor(parts: ShellsParts) {
    this.#parts = parts
  }

  /** The log was read further: begins new commands, and ends those that died with an earlier runner. */
  heard(): void {
    const { orders, generation } = this.#parts
    this.#cleared ??= this.#clear()
    const stopped = new Set(orders.stoppedShells)
    orders.stoppedShells.clear()
    for (const running of this.#running) if (stopped.has(running.id)) running.end('It was stopped.\n')
    for (const [id, { command, begunBy, timeoutSeconds }] of [...orders.openShells]) {
      // From here on this runner owns it: it does not read its own events back.
      orders.openShells.delete(id)
      if (begunBy !== null) {
        if (begunBy < generation) void this.#lost(id)
      } else if (stopped.has(id)) {
        this.#output({ id, stderr: 'It was stopped before it began.\n', exitCode: null })
      } else this.#run(id, command, timeoutSeconds)
    }
  }

  /** Whether a command has not ended; processes it left in the background do not count. */
  get isBusy(): boolean {
    return this.#unended.size > 0
  }

  /** Stops reading output: the commands wait for room in their pipes. */
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

  /** Ends all commands; resolves when none is left and the end of each is written. */
  async stop(): Promise<void> {
    if (!this.#hasRun) return
    this.resumeReading()
    const running = [...this.#running]
    for (const { child } of running) kill(child.pid)
    await endFamily({ group: null, mark: this.#mark(this.#parts.generation) }, termMs)
    await within(drainMs, Promise.all(running.map(({ over }) => over)))
  }

  #mark(generation: number): string {
    const { run, cwd } = this.#parts
    return `${run} ${cwd} commands of ${generation}`
  }

  async #clear(): Promise<void> {
    const { orders, generation } = this.#parts
    // The last events of a dead runner may be sent by the next one, so the log alone does not show who had commands.
    const hosts = [...new Set([...orders.shellHosts, generation - 1])].filter((host) => host < generation)
    const marks = hosts.slice(-mostCleared).map((host) => this.#mark(host))
    await Promise.all(marks.map((mark) => endFamily({ group: null, mark }, termMs)))
  }

  async #lost(id: string): Promise<void> {
    this.#unended.add(id)
    // Its end may only be written once it has really ended.
    await this.#cleared
    this.#output({ id, stderr: 'Interrupted: the sandbox ended while it ran.\n', exitCode: null })
  }

  #run(id: string, command: string, timeoutSeconds: number | undefined): void {
    const { cwd, env, generation } = this.#parts
    this.#hasRun = true
    this.#unended.add(id)
    // The first event about it, before any output: the next runner must know that it was begun.
    this.#output({ id, stdout: '' })
    const child = spawn('sh', ['-c', command], {
      cwd,
      env: { ...env, [markName]: this.#mark(generation) },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const name of ['stdout', 'stderr'] as const) {
      const decoder = new StringDecoder()
      const report = (text: string) => {
        for (let at = 0; at < text.length; at += pieceLength)
          this.#output({ id, [name]: text.slice(at, at + pieceLength) })
      }
      child[name].on('data', (bytes: Buffer) => report(decoder.write(bytes)))
      child[name].on('end', () => report(decoder.end()))
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
    // Processes in its background are read and ended as the command itself.
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

  /** Resolves when the pipes of an ended command were read, if reading is not paused. */
  async #heardOut(): Promise<void> {
    for (let turns = -1; turns !== this.#turns || this.#isHeld; ) {
      turns = this.#turns
      await sleep(lateOutputMs)
    }
  }

  #output(params: { id: string } & Record<string, unknown>): void {
    if ('exitCode' in params) this.#unended.delete(params.id)
    this.#parts.emit(event('sandbox_output', params))
  }
}

function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has already ended.
  }
}
