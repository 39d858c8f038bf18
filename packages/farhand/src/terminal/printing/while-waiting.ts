import type { CommandContext } from '../../context/command-context.ts'
import { paint } from './paint.ts'

const longMs = 1_000

/** Runs an action; if it takes longer than a second, the terminal shows what the command waits for. */
export async function whileWaiting<Result>(
  what: string,
  context: CommandContext,
  act: () => Promise<Result>,
): Promise<Result> {
  if (!context.terminal) return await act()
  let isShown = false
  const timer = setTimeout(() => {
    isShown = true
    context.note(paint(context.color).dim(`… ${what}`))
  }, longMs)
  try {
    return await act()
  } finally {
    clearTimeout(timer)
    if (isShown) context.note('\r\x1b[K')
  }
}
