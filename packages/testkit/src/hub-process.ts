import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const command = fileURLToPath(new URL('../../farhand/bin/farhand.cjs', import.meta.url))
const FirstLine = z.object({ url: z.string(), token: z.string().nullable() })

export type HubProcessOptions = {
  data?: string
  /** Further words of the command line, such as `--keep-alive-ms 1000`. */
  settings?: readonly string[]
}

/** A hub in a process of its own, which keeps its data folder and its port however often it dies and comes back. */
export class HubProcess {
  readonly data: string
  readonly port: number
  readonly url: string
  token = ''
  /** What it wrote to standard error, all lives together. */
  complaints = ''
  readonly #words: readonly string[]
  #child: ChildProcess | null = null

  private constructor(data: string, port: number, { settings = [] }: HubProcessOptions) {
    this.data = data
    this.port = port
    this.url = `http://127.0.0.1:${port}`
    const where = ['--port', String(port), '--data', data]
    this.#words = [command, 'hub', '--json', '--log-level', 'warn', ...where, ...settings]
  }

  /** Starts a hub and waits until it answers. The caller ends it with `kill`, and removes the data. */
  static async start(options: HubProcessOptions = {}): Promise<HubProcess> {
    const data = options.data ?? (await mkdtemp(join(tmpdir(), 'farhand-hub-')))
    const hub = new HubProcess(data, await quietPort(), options)
    await hub.spawn()
    return hub
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Begins a new life; resolves when it answers, rejects if it ends before that. */
  async spawn(): Promise<void> {
    if (this.#child) throw new Error('this hub is already running')
    const child = spawn(process.execPath, this.#words, { stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    child.once('exit', () => {
      this.#child = null
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.complaints += text
    })
    const lines = createInterface({ input: child.stdout })
    const [line] = await Promise.race([
      once(lines, 'line'),
      once(child, 'exit').then(([code, signal]) => {
        throw new Error(
          `the hub ended before it answered (${signal ?? code}): ${this.complaints.slice(-2000)}`,
        )
      }),
    ])
    const { token } = FirstLine.parse(JSON.parse(String(line)))
    if (token !== null) this.token = token
  }

  /** Resolves when the present life is over, by itself or not, with the exit code; null when a signal ended it. */
  async gone(): Promise<number | null> {
    if (!this.#child) return null
    const [code] = await once(this.#child, 'exit')
    return code as number | null
  }

  /** Sends the signal and resolves with the exit code when the process is gone; null when a signal ended it. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    const gone = this.gone()
    this.#child?.kill(signal)
    return gone
  }

  async restart(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    await this.kill(signal)
    await this.spawn()
  }
}

/** A free port that no outgoing connection is given meanwhile: those come from the range above. */
async function quietPort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    const server = createServer()
    const free = await new Promise((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!free) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
