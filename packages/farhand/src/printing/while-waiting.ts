import type { World } from '../context/world.ts'
import { paint } from './paint.ts'

const longMs = 1_000

/** Does something, and if that takes long, tells whoever is watching what is waited for. */
export async function whileWaiting<Result>(
  what: string,
  world: World,
  act: () => Promise<Result>,
): Promise<Result> {
  if (!world.terminal) return await act()
  let isShown = false
  const timer = setTimeout(() => {
    isShown = true
    world.note(paint(world.color).dim(`… ${what}`))
  }, longMs)
  try {
    return await act()
  } finally {
    clearTimeout(timer)
    if (isShown) world.note('\r\x1b[K')
  }
}
