import type { CommandContext } from '../../context/command-context.ts'

/** The user's answer; null if the command cannot ask, or the user stops it. */
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
