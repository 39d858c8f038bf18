import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

export type Window = { columns: number; rows: number; cwd: string; env: Readonly<Record<string, string>> }

const patienceMs = 60_000
let opened = 0

/** An interactive shell in a terminal window, with only the given environment. */
export class Terminal {
  readonly #socket = path.join(tmpdir(), `farhand-terminal-${process.pid}-${opened++}`)

  constructor({ columns, rows, cwd, env }: Window) {
    const clean = ['env', '-i', ...Object.entries(env).map(([name, value]) => `${name}=${value}`)]
    const size = ['-x', String(columns), '-y', String(rows), '-c', cwd]
    const shell = [...clean, 'bash', '--norc', '--noprofile', '-i']
    this.#tmux(['-f', '/dev/null', 'new-session', '-d', ...size, ...shell])
    this.#tmux(['set', '-g', 'history-limit', '20000'])
  }

  type(text: string): void {
    this.#tmux(['send-keys', '-l', text])
  }

  press(...keys: string[]): void {
    this.#tmux(['send-keys', ...keys])
  }

  /** Everything since it was opened, with its colours. */
  all(): string {
    return this.#tmux(['capture-pane', '-p', '-e', '-S', '-']).trimEnd()
  }

  /** Presses these keys; resolves when the window shows this once more than before, and rejects with what it shows. */
  async until(what: RegExp, press: () => void): Promise<void> {
    const before = countIn(this.text(), what)
    press()
    await this.shows(String(what), (screen) => countIn(screen, what) > before)
  }

  /** Types a line and presses Enter; resolves when the window shows this. */
  async enters(line: string, until: RegExp): Promise<void> {
    await this.until(until, () => {
      this.type(line)
      this.press('Enter')
    })
  }

  /** Has the shell do this; resolves when it asks for more. */
  async runs(line: string): Promise<void> {
    await this.enters(line, /^\$(?= |$)/)
  }

  /** The same in plain letters. */
  text(): string {
    return this.#tmux(['capture-pane', '-p', '-S', '-']).trimEnd()
  }

  /** Resolves when the window shows what is so; `what` is for those who read why it was not. */
  async shows(what: string, isSo: (screen: string) => boolean): Promise<void> {
    for (const untilMs = performance.now() + patienceMs; ; await wait(50)) {
      const screen = this.text()
      if (isSo(screen)) return
      if (performance.now() > untilMs) throw new Error(`${what} is not to be seen:\n${screen}`)
    }
  }

  /** Closes the window, as with a click: programs in it get a hang-up signal. */
  close(): void {
    this.#tmux(['kill-server'])
    rmSync(this.#socket, { force: true })
  }

  #tmux(words: readonly string[]): string {
    return execFileSync('tmux', ['-S', this.#socket, ...words], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }
}

const countIn = (text: string, what: RegExp) => [...text.matchAll(new RegExp(what, 'gm'))].length
