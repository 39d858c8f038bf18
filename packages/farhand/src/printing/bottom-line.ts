import type { World } from '../context/world.ts'
import { paint } from './paint.ts'

export type BottomLine = ReturnType<typeof bottomLine>

/** A line that says how far it is, where somebody watches; after its end, what comes late is not shown any more. */
export function bottomLine(world: Pick<World, 'note' | 'terminal' | 'color'>, { json }: { json?: unknown }) {
  const isShown = world.terminal && !json
  let isOver = false
  const clear = () => {
    if (isShown && !isOver) world.note('\r\x1b[K')
  }
  return {
    show(text: string) {
      clear()
      if (isShown && !isOver) world.note(`\x1b[?7l${paint(world.color).dim(`… ${text}`)}\x1b[?7h`)
    },
    say(text: string) {
      clear()
      world.note(`${text}\n`)
    },
    end() {
      clear()
      isOver = true
    },
  }
}
