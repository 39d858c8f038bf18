import type { KeyedTerminal } from '../terminal/keys/keyed-terminal.ts'
import type { CommandNames } from './command-names.ts'

/** All that a command may touch of the process around it; `main.ts` makes the real one, tests another. */
export type CommandContext = {
  called: CommandNames
  env: Readonly<Record<string, string | undefined>>
  /** What the command was asked for: answers, tables, JSON. */
  out: (text: string) => void
  /** What a person at the terminal should know meanwhile. */
  note: (text: string) => void
  color: boolean
  /** How wide the window is in which standard output is read; without end where that is none. */
  columns: number
  /** Whether standard output goes somewhere else than to a terminal: into a file, or into another program. */
  isPiped: boolean
  /** Aborted when the program that standard output is piped into has stopped reading, as `head -1` does. */
  unread: AbortSignal
  /** Whether a person is watching standard error. */
  terminal: boolean
  /** Asks a person a question and gives the line they typed; null where there is nobody to ask. */
  ask: ((question: string, signal: AbortSignal) => Promise<string>) | null
  /** The same, and what they type is not shown; null also if they end the input instead. */
  askHidden: ((question: string, signal: AbortSignal) => Promise<string | null>) | null
  /** The lines that a person types from now on, until they end the input; null where there is nobody. */
  lines: ((signal: AbortSignal) => AsyncIterable<string>) | null
  /** The terminal itself, key by key; null where there is none, or one that only takes lines. */
  keyed: (() => Promise<KeyedTerminal>) | null
  /** What is piped into the command, until this signal; null where standard input is a terminal. */
  input: ((signal: AbortSignal) => AsyncIterable<Uint8Array>) | null
  /** Whether they have begun a line that Enter has not ended; null where that cannot be known. */
  isTyping: (() => Promise<boolean>) | null
  /** From now on Ctrl-C does this instead of asking the command to end; gives the way back. */
  onInterrupt: (act: () => void) => () => void
  /** How this very command is started: a program and its first arguments. */
  self: readonly [string, ...string[]]
  /** The folder the command was called in, and the one of whoever called it. */
  cwd: string
  home: string
  platform: string
  /** Aborted when someone asks the command to end. */
  stop: AbortSignal
}
