import type { CommandContext } from '../context/command-context.ts'

/** What a person answers; null if there is nobody, or they would rather end the command. */
export async function askOrStop(
  question: string,
  { ask, stop }: Pick<CommandContext, 'ask' | 'stop'>,
): Promise<string | null> {
  try {
    return (await ask?.(question, stop)) ?? null
  } catch (error) {
    if (stop.aborted) return null
    throw error
  }
}
