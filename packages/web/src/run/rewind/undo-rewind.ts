import type { FilesSource } from '../../files/history/files-source.ts'
import { toast } from '../../ui/toasts.ts'
import { rewindPointsUpTo } from './rewind-points.ts'
import { rewindRun } from './rewind-run.ts'

/**
 * Undoes a rewind by another rewind, to the event before it; `after` is the event up to which the log has to be read first.
 */
export async function undoRewind(
  source: FilesSource,
  to: number,
  after: number,
  withConversation: boolean,
): Promise<void> {
  try {
    const rewindPoints = await rewindPointsUpTo(source.listen, after)
    await rewindRun(source, rewindPoints, rewindPoints.planRewind(to), withConversation)
    toast('The rewind was undone.')
  } catch (error) {
    toast(`That could not be undone: ${(error as Error).message}`, { tone: 'bad' })
  }
}
