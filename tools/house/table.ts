/** What `tools/house.test.ts` says about the house; the rules in this folder only compare. */
export type House = {
  packages: Readonly<Record<string, PackageRow>>
  /** What tests may use beyond their package's row. */
  inTests: { packages: readonly string[]; libraries: readonly string[] }
  /** Each room of the hub with the rooms it may use. */
  rooms: Readonly<Record<string, readonly string[]>>
  /** Files beside the rooms that every room may use. */
  seenByRooms: readonly string[]
  /** Files, and folders with a slash at the end, that only think: values in, values out. */
  pure: readonly string[]
  /** What of Node only computes: pure files may use it. */
  pureNames: Readonly<Record<string, readonly string[]>>
  /** The files that start git: one on a user's machine, one in a sandbox. */
  startsGit: readonly string[]
  mostLines: number
  wordsNotUsed: readonly string[]
}

/** Whether a file is listed as pure, by itself or with its folder. */
export const isPure = (path: string, { pure }: House): boolean =>
  pure.some((listed) => path === listed || (listed.endsWith('/') && path.startsWith(listed)))

export type PackageRow = {
  holds: string
  runsIn: 'anywhere' | 'browser' | 'Node'
  uses: readonly string[]
  libraries: readonly string[]
}
