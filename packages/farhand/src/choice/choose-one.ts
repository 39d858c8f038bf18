import { askOrStop } from '../ask-or-stop.ts'
import { paint } from '../paint.ts'
import type { KeyedTerminal } from '../terminal/keyed-terminal.ts'
import { cutToWidth } from '../terminal/text-width.ts'
import type { World } from '../world.ts'
import { type Choices, choiceStep, mostKeys } from './choice-step.ts'

type List = {
  question: string
  /** What can be read of each, and by which name it can be chosen besides its number. */
  entries: readonly { says: string; name?: string }[]
  usual: number | null
}

/** Enough for what was typed before to arrive: it is no answer to this. Only then are they told that they may press a key. */
const drainMs = 30

/** Which of a list was chosen; or that somebody left it, or had the whole command stop, as with Ctrl-C. */
type Chosen = number | 'left' | 'interrupted'

/** Lets somebody choose from a list: with a key where each has one, else by number and Enter. */
export async function chooseOne({ question, entries, usual }: List, world: World): Promise<Chosen> {
  const { bold, dim } = paint(world.color)
  world.note(`${question}\n`)
  for (const [at, { says }] of entries.entries())
    world.note(`${at === usual ? '›' : ' '} ${bold(String(at + 1))}  ${says}\n`)
  const choices = { many: entries.length, usual }
  const terminal = entries.length > mostKeys ? null : await world.keyed?.()
  if (!terminal) return await byLine(entries, choices, world)
  const enter = usual === null ? '' : `, Enter for ${usual + 1}`
  const keys = entries.length > 1 ? `1-${entries.length}` : '1'
  // In one row, as only one is wiped away.
  const hint = cutToWidth(`Press ${keys}${enter}; Esc leaves.`, terminal.size.columns - 1)
  return await byKey(terminal, choices, dim(hint), world.stop)
}

async function byKey(
  terminal: KeyedTerminal,
  choices: Choices,
  hint: string,
  stop: AbortSignal,
): Promise<Chosen> {
  const { Keyboard } = await import('../terminal/keyboard.ts')
  let close = () => {}
  let isShown = false
  const wipe = () => terminal.write('\r\x1b[K')
  const show = () => {
    isShown = true
    terminal.write(hint)
  }
  try {
    return await new Promise<Chosen>((resolve) => {
      const interrupted = () => resolve('interrupted')
      const keyboard = new Keyboard((key) => {
        if (key.is === 'suspend') return terminal.suspend()
        const step = choiceStep(key, choices)
        if (step.is === 'left' || step.is === 'interrupted') resolve(step.is)
        if (step.is === 'chosen' && isShown) resolve(step.at)
      })
      const release = terminal.open({
        keys: (bytes) => keyboard.pressed(bytes),
        resized: () => {},
        suspending: wipe,
        resumed: show,
        ended: () => resolve('left'),
        says: (text) => {
          wipe()
          terminal.write(text.replaceAll('\n', '\r\n'))
          show()
        },
      })
      stop.addEventListener('abort', interrupted)
      if (stop.aborted) interrupted()
      const drained = setTimeout(show, drainMs)
      close = () => {
        clearTimeout(drained)
        keyboard.close()
        stop.removeEventListener('abort', interrupted)
        wipe()
        release()
      }
    })
  } finally {
    close()
  }
}

async function byLine(entries: List['entries'], { usual }: Choices, world: World): Promise<Chosen> {
  const names = entries.some(({ name }) => name !== undefined) ? 'A number or a name' : 'A number'
  const enter = usual === null ? 'Enter stops' : `Enter takes ${usual + 1}, q stops`
  for (;;) {
    const typed = (await askOrStop(`${names}; ${enter}: `, world))?.trim()
    if (world.stop.aborted) return 'interrupted'
    if (typed === undefined || typed === 'q') return 'left'
    if (typed === '') return usual ?? 'left'
    const at = entries.findIndex(({ name }, nth) => typed === String(nth + 1) || typed === name)
    if (at !== -1) return at
  }
}
