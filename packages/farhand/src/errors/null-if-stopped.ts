import type { CommandContext } from '../context/command-context.ts'
import { Trouble } from './trouble.ts'

/** Does what comes before anything is begun; null, and a word on it, if somebody does not want to wait for that. */
export async function orStopped<Result>(
  context: CommandContext,
  act: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await act()
  } catch (error) {
    if (!context.stop.aborted || error instanceof Trouble) throw error
    context.note('Stopped before anything was begun.\n')
    return null
  }
}
