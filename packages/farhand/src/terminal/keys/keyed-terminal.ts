/** What a terminal tells whoever has it. */
export type TerminalHandlers = {
  keys(bytes: Uint8Array): void
  /** The window has another size. */
  resized(): void
  /** It was given up for a while, to a shell for example, and is here again: nothing that was drawn is there. */
  resumed(): void
  /** About to be given up: what was drawn is taken away. */
  suspending(): void
  /** Whoever typed has gone. */
  ended(): void
  /** Somebody else wants something to be read meanwhile. */
  says(text: string): void
}

/** A terminal that is spoken to key by key and cell by cell. */
export interface KeyedTerminal {
  readonly size: { columns: number; rows: number }
  write(text: string): void
  /** From now on keys come one by one; gives the way back, which also every way to end takes. */
  open(handlers: TerminalHandlers): () => void
  /** Gives the terminal back to the shell, as Ctrl-Z asks for. */
  suspend(): void
}
