/** The callbacks of an open terminal. */
export type TerminalHandlers = {
  keys(bytes: Uint8Array): void
  resized(): void
  /** The program goes on after it was suspended: nothing that was drawn is still there. */
  resumed(): void
  /** The program is about to be suspended: remove what was drawn. */
  suspending(): void
  /** The input has ended. */
  ended(): void
  /** Another part of the program prints something. */
  says(text: string): void
}

/** A terminal in raw mode: single keys in, text at any position out. */
export interface KeyedTerminal {
  readonly size: { columns: number; rows: number }
  write(text: string): void
  /** Switches to single keys. Returns the function that switches back, which also runs however the process exits. */
  open(handlers: TerminalHandlers): () => void
  /** Gives the terminal back to the shell, as Ctrl-Z asks for. */
  suspend(): void
}
