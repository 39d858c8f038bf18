/** A piece of what the user reads: words and thoughts as they come, everything else in lines. */
export type Piece =
  | { as: 'words' | 'thought'; text: string }
  /** The agent's text has ended: the next words belong to another one. */
  | { as: 'end' }
  | { as: 'line' | 'faint'; text: string }
  /** `raw` is the original text, which the user can unfold. */
  | { as: 'warning'; text: string; raw?: string }
  /** A tool call, and its result once it is over. */
  | {
      as: 'tool'
      id: number
      name: string
      state: 'begun' | 'done' | 'failed'
      /** The kind of tool, as ACP names it. */
      kind: string
      /** The lines that the tool printed. */
      output: readonly string[]
      /** The changes of files that the tool reports. */
      changes: readonly unknown[]
    }
  /** What is happening now, shown until the next piece. */
  | { as: 'status'; text: string }
