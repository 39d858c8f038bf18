import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { atEndOfFile } from './end-of-file.ts'
import { command, ProgramProcess } from './program-process.ts'

const FirstLine = z.object({ url: z.string(), token: z.string().nullable() })

export type HubProcessOptions = {
  data?: string
  /** Further arguments of the command line, such as `--keep-alive-ms 1000`. */
  settings?: readonly string[]
  /** Changes the command line that starts it, to give it another disk or output. */
  within?: (...words: string[]) => string[]
}

/** A hub in a process of its own, which keeps its data folder and its port across restarts. */
export class HubProcess extends ProgramProcess {
  readonly data: string
  readonly port: number
  readonly url: string
  token = ''
  readonly #words: readonly string[]

  private constructor(data: string, port: number, { settings = [], within }: HubProcessOptions) {
    super('the hub')
    this.data = data
    this.port = port
    this.url = `http://127.0.0.1:${port}`
    const where = ['--port', String(port), '--data', data]
    const words = [process.execPath, command, 'hub', '--json', '--log-level', 'warn', ...where, ...settings]
    this.#words = within ? within(...words) : words
  }

  /**
   * Starts a hub and waits until it answers. The caller ends it with `kill`, and removes the data if it named the folder;
   * another folder is gone at the end of the test file.
   */
  static async start(options: HubProcessOptions = {}): Promise<HubProcess> {
    const data = options.data ?? (await ownFolder())
    const hub = new HubProcess(data, await reservedPort(), options)
    await hub.spawn()
    return hub
  }

  /** Starts the process; resolves when the hub answers, rejects if the process ends before that. */
  async spawn(): Promise<void> {
    const { token } = FirstLine.parse(JSON.parse(await this.begin(this.#words)))
    if (token !== null) this.token = token
  }

  async restart(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    await this.kill(signal)
    await this.spawn()
  }
}

async function ownFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'farhand-hub-'))
  atEndOfFile(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }))
  return folder
}

/**
 * A free port that stays free while the hub is dead. Outgoing connections get ports from a higher range; and this process
 * holds the port for UDP, which no hub uses, so that other processes that call this function do not take it.
 */
async function reservedPort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    const hold = createSocket('udp4')
    const isOurs = await new Promise((resolve) => {
      hold.once('error', () => resolve(false)).bind(port, '127.0.0.1', () => resolve(true))
    })
    if (!isOurs) continue
    hold.unref()
    const server = createServer()
    const isFree = await new Promise((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) {
      hold.close()
      continue
    }
    server.close()
    await once(server, 'close')
    return port
  }
}
