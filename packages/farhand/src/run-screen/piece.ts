/** How a piece of what happens is shown: words and thoughts as they come, everything else in lines. */
export type Piece =
  | { as: 'words' | 'thought'; text: string }
  | { as: 'line' | 'faint'; text: string }
  /** `raw` is what it was made of, for those who want to see that. */
  | { as: 'warning'; text: string; raw?: string }
  /** What a tool is about, and what came of it once it is over. */
  | {
      as: 'tool'
      id: string
      name: string
      state: 'begun' | 'done' | 'failed'
      /** What kind of tool it is, as ACP names them; null if the agent has not said. */
      kind: string | null
      /** The lines that it printed. */
      output: readonly string[]
      /** The changes of files that it tells of. */
      content: unknown[]
    }
  /** What is going on, until the next thing happens. */
  | { as: 'status'; text: string }
