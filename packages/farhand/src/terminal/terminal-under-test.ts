import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, vi } from 'vitest'

/** Whether what people see at a terminal can be looked at here. */
export const hasTmux = ['/usr/bin/tmux', '/usr/local/bin/tmux', '/bin/tmux'].some((file) => existsSync(file))

const settings = `
set -g remain-on-exit on
set -g exit-empty off
set -g status off
set -g default-terminal tmux-256color
set -g history-limit 10000
set -s escape-time 0
`

/** Starts a program in a shell with jobs, which sets up the terminal for itself, and tells how the program left it. */
const around = `set -m
"$@"
code=$?
while [ -n "$(jobs -s)" ]; do
  left=$(stty -a | grep -oE ' -?(icanon|echo)\\b')
  stty sane
  echo "stopped:" $left
  read -r _
  fg >/dev/null
  code=$?
done
echo "left with $code:" $(stty -a | grep -oE ' -?(icanon|echo)\\b')`

/** Terminals of one tmux server. */
export class TerminalsUnderTest {
  readonly #socket: string
  readonly #settings: string

  constructor(folder: string) {
    this.#socket = path.join(folder, 'tmux')
    this.#settings = path.join(folder, 'tmux.conf')
    writeFileSync(this.#settings, settings)
  }

  tmux(...words: string[]): string {
    return execFileSync('tmux', ['-S', this.#socket, '-f', this.#settings, ...words], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  /** A window of its own with this program in it, in this folder and with nothing else in its environment. */
  open(
    words: readonly string[],
    { env, cwd }: { env: Record<string, string>; cwd: string },
  ): TerminalUnderTest {
    const given = Object.entries({
      PATH: process.env.PATH ?? '',
      LANG: 'C.UTF-8',
      TERM: 'tmux-256color',
      ...env,
    })
    const clean = ['env', '-i', ...given.map(([name, value]) => `${name}=${value}`)]
    const start = ['new-session', '-d', '-P', '-F', '#{pane_id}', '-x', '80', '-y', '24', '-c', cwd]
    const pane = this.tmux(...start, ...clean, 'bash', '-c', around, 'farhand', ...words).trim()
    return new TerminalUnderTest(this, pane)
  }

  close(): void {
    this.tmux('kill-server')
  }
}

/** A user at one of these terminals. */
export class TerminalUnderTest {
  readonly #all: TerminalsUnderTest
  readonly #pane: string

  constructor(all: TerminalsUnderTest, pane: string) {
    this.#all = all
    this.#pane = pane
  }

  /** Presses keys by the names that tmux has for them. */
  press(...keys: string[]): void {
    this.#all.tmux('send-keys', '-t', this.#pane, ...keys)
  }

  type(text: string): void {
    this.#all.tmux('send-keys', '-t', this.#pane, '-l', text)
  }

  paste(text: string): void {
    this.#all.tmux('set-buffer', '-b', 'pasted', text)
    this.#all.tmux('paste-buffer', '-p', '-b', 'pasted', '-t', this.#pane)
  }

  resize(columns: number, rows: number): void {
    this.#all.tmux('resize-window', '-t', this.#pane, '-x', String(columns), '-y', String(rows))
  }

  /** Sends a signal to the program, and not to the shell around it. */
  signal(name: NodeJS.Signals): void {
    const shell = this.#all.tmux('display-message', '-p', '-t', this.#pane, '#{pane_pid}').trim()
    const [child] = readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').split(' ')
    process.kill(Number(child), name)
  }

  /** What the window shows; everything since it was opened, or with its colours, if that is asked for. */
  screen(...flags: ('whole' | 'colors')[]): string {
    const more = flags.flatMap((flag) => (flag === 'whole' ? ['-S', '-', '-J'] : ['-e']))
    return this.#all.tmux('capture-pane', '-p', '-t', this.#pane, ...more).trimEnd()
  }

  get isCursorShown(): boolean {
    return this.#all.tmux('display-message', '-p', '-t', this.#pane, '#{cursor_flag}').trim() === '1'
  }

  /** Resolves when the window shows this. */
  async sees(what: string | RegExp): Promise<string> {
    return vi.waitFor(
      () => {
        const screen = this.screen()
        if (typeof what === 'string') expect(screen).toContain(what)
        else expect(screen).toMatch(what)
        return screen
      },
      { timeout: 120_000, interval: 30 },
    )
  }

  async seesNoMore(what: string): Promise<void> {
    await vi.waitFor(() => expect(this.screen()).not.toContain(what), { timeout: 120_000, interval: 30 })
  }
}
