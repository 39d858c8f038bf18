import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

type Json = Record<string, unknown>
type Waiting = { resolve(result: Json): void; reject(error: AcpError): void }
type Frame = { id?: number | string; method?: string; params?: Json; result?: Json; error?: Json }

/** The agent answered with an error. */
export class AcpError extends Error {
  readonly frame: Json

  constructor(frame: Json) {
    super(JSON.stringify(frame))
    this.frame = frame
  }
}

export type AcpClientOptions = {
  command: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  cwd: string
  /** What requests of the agent are answered with; undefined says that the method is not known. */
  answer(method: string, params: Json): unknown
}

/** The least that can talk with an agent: it keeps every frame that it hears and knows nothing of what they mean. */
export class AcpClient {
  readonly heard: Frame[] = []
  readonly #child: ChildProcessWithoutNullStreams
  readonly #waiting = new Map<number, Waiting>()
  #listeners: (() => void)[] = []
  #nextId = 1
  stderr = ''

  constructor({ command, args, env, cwd, answer }: AcpClientOptions) {
    // In a group of its own: some agents leave their children behind.
    this.#child = spawn(command, args, { cwd, env, detached: true })
    this.#child.stderr.on('data', (text) => {
      this.stderr += text
    })
    this.#child.stdin.on('error', () => {})
    this.#child.on('error', (error) => this.#failAll({ message: String(error) }))
    this.#child.on('exit', (code, signal) => this.#failAll({ message: `ended with ${code ?? signal}` }))
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      if (line.startsWith('{')) this.#take(JSON.parse(line), answer)
    })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  request(method: string, params: Json): Promise<Json> {
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#send({ id, method, params })
    })
  }

  notify(method: string, params: Json): void {
    this.#send({ method, params })
  }

  /** Resolves when something that fits has been heard. */
  async hears(fits: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const found = this.heard.find(fits)
      if (found) return found
      await new Promise<void>((resolve) => this.#listeners.push(resolve))
    }
  }

  /** Ends it with all that it has started in its group. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null || !this.#child.pid) return
    const exited = once(this.#child, 'exit')
    process.kill(-this.#child.pid, 'SIGKILL')
    await exited
  }

  #take(frame: Frame, answer: AcpClientOptions['answer']): void {
    this.heard.push(frame)
    for (const tell of this.#listeners.splice(0)) tell()
    const { id, method, params = {} } = frame
    if (method === undefined) {
      const waiting = this.#waiting.get(Number(id))
      this.#waiting.delete(Number(id))
      if (frame.error) waiting?.reject(new AcpError(frame.error))
      else waiting?.resolve(frame.result ?? {})
    } else if (id !== undefined) {
      const result = answer(method, params)
      const error = { code: -32601, message: `unknown method: ${method}` }
      this.#send(result === undefined ? { id, error } : { id, result })
    }
  }

  #send(frame: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`)
  }

  #failAll(error: Json): void {
    for (const { reject } of this.#waiting.values()) reject(new AcpError(error))
    this.#waiting.clear()
  }
}
