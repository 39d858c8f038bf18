import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { sleep } from '@farhand/kit/sleep'
import { Redaction } from '../events/redaction.ts'
import { endFamily, type Family, killFamily, markName } from '../processes/process-family.ts'
import { type AgentCommand, type AgentEnd, AgentGone } from './agent.ts'
import { agentSecrets } from './agent-secrets.ts'

const graceMs = 300
const termMs = 2000
const mostLastWords = 8192
/** More than is shown: a key whose beginning was cut off could not be recognized and hidden. */
const mostKept = 2 * mostLastWords

/** The process of an agent, and all processes that it starts. */
export class AgentProcess {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #family: Family
  readonly #keys: Redaction
  readonly #exited: Promise<void>
  #ending: Promise<void> | null = null
  #lastWords: Buffer = Buffer.alloc(0)
  /** Resolves when its standard error has ended. */
  readonly lastWordsHeard: Promise<void>
  /** Resolves when it and all processes it started have ended; its output may still have something to read. */
  readonly gone: Promise<void>

  private constructor(child: ChildProcessWithoutNullStreams, mark: string, command: AgentCommand) {
    this.#child = child
    this.#keys = new Redaction(agentSecrets(command))
    this.#family = { group: child.pid ?? null, mark }
    child.stderr.on('data', (words: Buffer) => {
      // A copy: a slice would keep the whole chunk in memory.
      this.#lastWords = Buffer.concat([this.#lastWords, words.subarray(-mostKept)]).subarray(-mostKept)
    })
    child.stderr.on('error', () => {})
    this.lastWordsHeard = new Promise((resolve) => child.stderr.once('close', () => resolve()))
    this.#exited = new Promise((resolve) => child.once('exit', () => resolve()))
    this.gone = this.#exited.then(() => this.#endFamily())
  }

  /**
   * Starts the agent with exactly this command and environment. First ends processes with its mark, which a killed
   * host left behind. Throws AgentGone if there is no such program.
   */
  static async start(command: AgentCommand, named?: string): Promise<AgentProcess> {
    if (named !== undefined) await endFamily({ group: null, mark: named }, termMs)
    const mark = named ?? randomUUID()
    const { args, cwd, env } = command
    const child = spawn(command.command, args, {
      cwd,
      env: { ...env, [markName]: mark },
      // In its own process group: it can be ended with its children, and Ctrl-C in our terminal does not reach it.
      detached: true,
      stdio: 'pipe',
    })
    const begun = new AgentProcess(child, mark, command)
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.on('error', (error: NodeJS.ErrnoException) => {
        const end = { code: null, signal: null, lastWords: '' }
        reject(new AgentGone(whyNot(command, error), end, { cause: error }))
      })
    })
    return begun
  }

  get input() {
    return this.#child.stdin
  }

  get output() {
    return this.#child.stdout
  }

  get end(): AgentEnd {
    const { exitCode: code, signalCode: signal } = this.#child
    const told = Buffer.from(this.withoutKeys(wordsOf(this.#lastWords))).subarray(-mostLastWords)
    return { code, signal, lastWords: wordsOf(told) }
  }

  /** Programs name the key that was refused, and all readers of the run see what an agent says of it. */
  withoutKeys(words: string): string {
    return this.#keys.text(words)
  }

  /** Closes pipes that an unknown process keeps open; unread output is lost. */
  closePipes(): void {
    this.#child.stdout.destroy()
    this.#child.stderr.destroy()
  }

  /** Ends the agent: closes its input, which is enough for most agents, and otherwise uses signals. */
  async stop(): Promise<void> {
    this.#child.stdin.end()
    const enough = new AbortController()
    const grace = sleep(graceMs, { signal: enough.signal }).then(
      () => this.#endFamily(),
      () => {},
    )
    await this.#exited
    enough.abort()
    await grace
    await this.gone
  }

  /** Once: a second SIGTERM has its own meaning, and the number of an ended group may be given to others. */
  #endFamily(): Promise<void> {
    // When a wrapper was killed, the real agent may live on behind it (Copilot). SIGTERM would make that abort its
    // tools, tell its model and answer for a turn that is to be continued.
    const end = this.#child.signalCode === null ? endFamily : killFamily
    this.#ending ??= end(this.#family, termMs)
    return this.#ending
  }
}

/** Drops the rest of a UTF-8 character that was cut at the start. */
function wordsOf(bytes: Buffer): string {
  const begin = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80)
  return bytes.toString('utf8', Math.max(begin, 0)).trim()
}

function whyNot({ command, cwd }: AgentCommand, { code, message }: NodeJS.ErrnoException): string {
  if (!existsSync(cwd)) return `The agent cannot start: its folder ${cwd} does not exist.`
  switch (code) {
    case 'ENOENT':
      return `The agent cannot start: program not found: "${command}". Install it, or give its full path.`
    case 'EACCES':
      return `The agent cannot start: "${command}" is not executable. Make it executable (chmod +x), or give the path of one that is.`
    default:
      return `The agent cannot start: "${command}" says ${message}.`
  }
}
