import type { KeyedTerminal } from '../terminal/keys/keyed-terminal.ts'
import type { CommandNames } from './command-names.ts'

/** What a command may use of its process; `main.ts` makes the real one, tests make their own. */
export type CommandContext = ProcessContext & OutputContext & InputContext

/** How the process was started and when it ends. Code that neither prints nor asks needs no more than this. */
export type ProcessContext = {
  called: CommandNames
  env: Readonly<Record<string, string | undefined>>
  /** The program and the first arguments that start this command again. */
  self: readonly [string, ...string[]]
  /** The user's working folder. */
  cwd: string
  /** The user's home folder. */
  home: string
  platform: string
  /** Aborted when the user or the system asks the command to end. */
  stop: AbortSignal
}

/** Where a command prints, and what can be shown there. */
export type OutputContext = {
  /** Writes the result of the command to standard output: answers, tables, JSON. */
  out: (text: string) => void
  /** Writes a message for the user to standard error. */
  note: (text: string) => void
  color: boolean
  /** The width of the window that shows standard output; infinite if no window does. */
  columns: number
  /** Whether standard output goes to a file or to another program instead of a terminal. */
  isPiped: boolean
  /** Aborted when the program that reads standard output has stopped reading, as `head -1` does. */
  unread: AbortSignal
  /** Whether standard error is a terminal. */
  terminal: boolean
}

/** What the user can be asked, and what they type. Each of these is null where it is not possible. */
export type InputContext = {
  /** Asks the user a question and returns the line they type. */
  ask: ((question: string, signal: AbortSignal) => Promise<string>) | null
  /** Asks without showing what the user types; returns null if they end the input instead. */
  askHidden: ((question: string, signal: AbortSignal) => Promise<string | null>) | null
  /** The lines that the user types from now on, until they end the input. */
  lines: ((signal: AbortSignal) => AsyncIterable<string>) | null
  /** The terminal itself, key by key. */
  keyed: (() => Promise<KeyedTerminal>) | null
  /** What is piped into the command, until the signal aborts. */
  input: ((signal: AbortSignal) => AsyncIterable<Uint8Array>) | null
  /** Whether the user has begun a line and not pressed Enter yet. */
  isTyping: (() => Promise<boolean>) | null
  /** From now on Ctrl-C calls this instead of stopping the command; returns a function that undoes this. */
  onInterrupt: (act: () => void) => () => void
}
