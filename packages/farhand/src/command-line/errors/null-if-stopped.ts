import { Trouble } from '@farhand/device/trouble/trouble'
import type { CommandContext } from '../../context/command-context.ts'

/** The result of `act`; null after a note, if the user stopped the command while it ran. */
export async function nullIfStopped<Result>(
  context: CommandContext,
  act: () => Promise<Result>,
  note = 'Stopped before anything was begun.',
): Promise<Result | null> {
  try {
    return await act()
  } catch (error) {
    if (!context.stop.aborted || error instanceof Trouble) throw error
    context.note(`${note}\n`)
    return null
  }
}
