/** How a drill starts this command, as its user would. */
export type OwnCommand = {
  /** The program and the first arguments. */
  self: readonly [string, ...string[]]
  env: Readonly<Record<string, string | undefined>>
  platform: string
  /** Aborted when the drill is to end. */
  stop: AbortSignal
}
