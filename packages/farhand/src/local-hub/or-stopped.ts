import type { World } from '../context/world.ts'
import { Trouble } from '../errors/trouble.ts'

/** Does what comes before anything is begun; null, and a word on it, if somebody does not want to wait for that. */
export async function orStopped<Result>(world: World, act: () => Promise<Result>): Promise<Result | null> {
  try {
    return await act()
  } catch (error) {
    if (!world.stop.aborted || error instanceof Trouble) throw error
    world.note('Stopped before anything was begun.\n')
    return null
  }
}
