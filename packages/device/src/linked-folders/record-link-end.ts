import type { StateFolder } from '@farhand/sync/state/state-folder'
import { BackgroundLinks } from '../daemon/background-links.ts'
import { Trouble } from '../trouble/trouble.ts'

/**
 * Keeps a folder in the background and records how that ended, so that the daemon does not start it again when its run is closed,
 * or when only the user can solve its Trouble. After any other end the daemon tries again.
 */
export async function recordLinkEnd<Result>(
  folder: string,
  state: StateFolder,
  { stop }: { stop: AbortSignal },
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
