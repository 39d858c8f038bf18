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
/** More than is told: a key whose beginning is no longer there would not be known for one. */
const mostKept = 2 * mostLastWords

/** The process of an agent, and all that it starts. */
export class AgentProcess {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #family: Family
  readonly #keys: Redaction
  readonly #exited: Promise<void>
  #ending: Promise<void> | null = null
  #lastWords: Buffer = Buffer.alloc(0)
  /** Resolves when nothing more will come on its standard error. */
  readonly lastWordsHeard: Promise<void>
  /** Resolves when it and everything it has started have ended; there may still be something to read. */
  readonly gone: Promise<void>

  private constructor(child: ChildProcessWithoutNullStreams, mark: string, command: AgentCommand) {
    this.#child = child
    this.#keys = new Redaction(agentSecrets(command))
    this.#family = { group: child.pid ?? null, mark }
    child.stderr.on('data', (words: Buffer) => {
      // A copy, or a few last words would hold on to all that came with them.
      this.#lastWords = Buffer.concat([this.#lastWords, words.subarray(-mostKept)]).subarray(-mostKept)
    })
    child.stderr.on('error', () => {})
    this.lastWordsHeard = new Promise((resolve) => child.stderr.once('close', () => resolve()))
    this.#exited = new Promise((resolve) => child.once('exit', () => resolve()))
    this.gone = this.#exited.then(() => this.#endFamily())
  }

  /**
   * Starts it with nothing but what the command says. What still bears its mark is ended first: it was left behind by
   * somebody who was killed before they could. Throws AgentGone if there is no such program.
   */
  static async start(command: AgentCommand, named?: string): Promise<AgentProcess> {
    if (named !== undefined) await endFamily({ group: null, mark: named }, termMs)
    const mark = named ?? randomUUID()
    const { args, cwd, env } = command
    const child = spawn(command.command, args, {
      cwd,
      env: { ...env, [markName]: mark },
      // In a group of its own: it can be ended with its children, and Ctrl-C in our terminal is not meant for it.
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

  /** Programs that are refused tell with which key, and what an agent says of that is read by everybody in the run. */
  withoutKeys(words: string): string {
    return this.#keys.text(words)
  }

  /** For those that somebody we cannot find keeps open. What is in them is lost. */
  closePipes(): void {
    this.#child.stdout.destroy()
    this.#child.stderr.destroy()
  }

  /** Ends it: by closing its input, which is enough for most, and if it takes no notice by force. */
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

  /** Once: a second SIGTERM has a meaning of its own, and the number of a group that is gone may be given to others. */
  #endFamily(): Promise<void> {
    // Of one that was killed, the real agent may live on behind it (Copilot). Asked to end, that breaks off its tools,
    // tells its model, and answers for a turn that is to be continued.
    const end = this.#child.signalCode === null ? endFamily : killFamily
    this.#ending ??= end(this.#family, termMs)
    return this.#ending
  }
}

/** Its first character may have been cut in two. */
function wordsOf(bytes: Buffer): string {
  const begin = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80)
  return bytes.toString('utf8', Math.max(begin, 0)).trim()
}

function whyNot({ command, cwd }: AgentCommand, { code, message }: NodeJS.ErrnoException): string {
  if (!existsSync(cwd)) return `The agent cannot start: its folder ${cwd} does not exist.`
  switch (code) {
    case 'ENOENT':
      return `The agent cannot start: there is no program "${command}" here. Install it, or give its whole path.`
    case 'EACCES':
      return `The agent cannot start: "${command}" may not be executed. Make it executable (chmod +x), or give the path of one that is.`
    default:
      return `The agent cannot start: "${command}" says ${message}.`
  }
}
