import { BackgroundLinks } from '@farhand/device/daemon/background-links'
import { Trouble } from '@farhand/device/trouble/trouble'
import type { StateFolder } from '@farhand/sync/state/state-folder'
import type { ProcessContext } from '../context/command-context.ts'

/**
 * Keeps a folder in the background and records how that ended, so that the daemon does not start it again when its run is closed,
 * or when only the user can solve its Trouble. After any other end the daemon tries again.
 */
export async function recordLinkEnd<Result>(
  folder: string,
  state: StateFolder,
  { stop }: Pick<ProcessContext, 'stop'>,
  keep: () => Promise<Result>,
): Promise<Result> {
  const folders = new BackgroundLinks(state)
  try {
    const result = await keep()
    if (!stop.aborted) folders.drop(folder)
    return result
  } catch (error) {
    if (error instanceof Trouble && !stop.aborted) folders.fail(folder, error, Date.now())
    throw error
  }
}
