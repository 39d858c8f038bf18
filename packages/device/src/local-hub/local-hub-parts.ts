import type { Exit } from '../trouble/trouble.ts'

/** What only the hub's own code can do with its data folder. */
export type HubData = {
  /** Loads what locks a data folder for this process; `taken` means that a hub runs on it. */
  loadLock(): Promise<(data: string) => { release(): void } | 'taken'>
  /** Creates a token for the hub's owner, also while the hub runs. */
  makeOwnerToken(data: string, label: string): Promise<string>
}

/** What the local hub is found and stopped with. */
export type StopParts = {
  hubData: Pick<HubData, 'loadLock'>
  /** Aborted when the caller no longer waits. */
  stop: AbortSignal
  /** Runs an action that may take long, and may show meanwhile what the user waits for. */
  whileWaiting: <Result>(what: 'starts' | 'stops', act: () => Promise<Result>) => Promise<Result>
}

/** What the local hub is started with. */
export type StartParts = StopParts & {
  hubData: HubData
  /** The program and the first arguments that start this command again. */
  self: readonly [string, ...string[]]
  env: Readonly<Record<string, string | undefined>>
  version: string
  /** What an exit code of this command means. */
  exitOf: (code: number | null) => Exit
}
