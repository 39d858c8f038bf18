import type { SeenEvent } from '@farhand/protocol/wire/seen-event'

type Listen = (take: (events: readonly SeenEvent[]) => void) => () => void

/** The paths of all files in the workspace, sorted. The code for it is loaded on first use. */
export async function workspacePaths(listen: Listen): Promise<readonly string[]> {
  const { WorkspaceTree } = await import('@farhand/protocol/files/workspace-tree')
  const tree = new WorkspaceTree()
  // // `listen` gives the known events at once; later events are not needed.
  const stop = listen((events) => {
    for (const event of events) tree.apply(event)
  })
  stop()
  return [...tree.paths()].sort()
}
