import type { World } from '../context/world.ts'

/** What a person answers; null if there is nobody, or they would rather end the command. */
export async function askOrStop(
  question: string,
  { ask, stop }: Pick<World, 'ask' | 'stop'>,
): Promise<string | null> {
  try {
    return (await ask?.(question, stop)) ?? null
  } catch (error) {
    if (stop.aborted) return null
    throw error
  }
}
