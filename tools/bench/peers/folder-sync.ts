/** Something that keeps folder `b` like folder `a` and, if it goes both ways, `a` like `b`. */
export type FolderSync = {
  name: string
  peer?: true
  twoWay: boolean
  /** Starts it on two folders that exist. What `a` holds need not be in `b` yet when this resolves. */
  start(a: string, b: string): Promise<RunningSync>
}

export type RunningSync = { pids: readonly number[]; stop(): Promise<void> }
