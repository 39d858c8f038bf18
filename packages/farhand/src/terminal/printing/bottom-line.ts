import type { CommandContext } from '../../context/command-context.ts'
import { paint } from './paint.ts'

export type BottomLine = ReturnType<typeof bottomLine>

/** A progress line at the bottom of the terminal; shows nothing without a terminal, with --json, or after `end`. */
export function bottomLine(
  context: Pick<CommandContext, 'note' | 'terminal' | 'color'>,
  { json }: { json?: unknown },
) {
  const isShown = context.terminal && !json
  let isOver = false
  const clear = () => {
    if (isShown && !isOver) context.note('\r\x1b[K')
  }
  return {
    show(text: string) {
      clear()
      if (isShown && !isOver) context.note(`\x1b[?7l${paint(context.color).dim(`… ${text}`)}\x1b[?7h`)
    },
    say(text: string) {
      clear()
      context.note(`${text}\n`)
    },
    end() {
      clear()
      isOver = true
    },
  }
}
