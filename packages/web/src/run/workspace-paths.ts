import type { SeenEvent } from '@farhand/protocol/wire/seen-event'

type Listen = (take: (events: readonly SeenEvent[]) => void) => () => void

/** Every file of the workspace as the log has it now, in order. What it takes is loaded when it is first asked for. */
export async function workspacePaths(listen: Listen): Promise<readonly string[]> {
  const { WorkspaceTree } = await import('@farhand/protocol/files/workspace-tree')
  const tree = new WorkspaceTree()
  // What is known is given at once; nobody waits for what is still to come.
  const stop = listen((events) => {
    for (const event of events) tree.apply(event)
  })
  stop()
  return [...tree.paths()].sort()
}
