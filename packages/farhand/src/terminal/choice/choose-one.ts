import type { CommandContext } from '../../context/command-context.ts'
import { cutToWidth } from '../lines/text-width.ts'
import { paint } from '../printing/paint.ts'
import { askOrStop } from '../prompts/ask-or-stop.ts'
import { type Choices, choiceStep, mostKeys } from './choice-step.ts'
import { waitForKey } from './wait-for-key.ts'

type List = {
  question: string
  /** The text of each entry, and the name by which it can be chosen besides its number. */
  entries: readonly { says: string; name?: string }[]
  usual: number | null
}

/** The index of the chosen entry; or that the user left the list, or stopped the command with Ctrl-C. */
type Chosen = number | 'left' | 'interrupted'

/** Lets the user choose from a list: with a key if there are enough keys, else by number and Enter. */
export async function chooseOne(
  { question, entries, usual }: List,
  context: CommandContext,
): Promise<Chosen> {
  const { bold, dim } = paint(context.color)
  context.note(`${question}\n`)
  for (const [at, { says }] of entries.entries())
    context.note(`${at === usual ? '›' : ' '} ${bold(String(at + 1))}  ${says}\n`)
  const choices = { many: entries.length, usual }
  const terminal = entries.length > mostKeys ? null : await context.keyed?.()
  if (!terminal) return await byLine(entries, choices, context)
  const enter = usual === null ? '' : `, Enter for ${usual + 1}`
  const keys = entries.length > 1 ? `1-${entries.length}` : '1'
  // In one row, because only one row is wiped.
  const hint = cutToWidth(`Press ${keys}${enter}; Esc leaves.`, terminal.size.columns - 1)
  const pressed = await waitForKey<number>(
    terminal,
    dim(hint),
    (key) => {
      const step = choiceStep(key, choices)
      if (step.is === 'chosen') return { chosen: step.at }
      return step.is === 'nothing' ? null : step.is
    },
    context.stop,
  )
  return typeof pressed === 'string' ? pressed : pressed.chosen
}

async function byLine(
  entries: List['entries'],
  { usual }: Choices,
  context: CommandContext,
): Promise<Chosen> {
  const names = entries.some(({ name }) => name !== undefined) ? 'A number or a name' : 'A number'
  const enter = usual === null ? 'Enter stops' : `Enter takes ${usual + 1}, q stops`
  for (;;) {
    const typed = (await askOrStop(`${names}; ${enter}: `, context))?.trim()
    if (context.stop.aborted) return 'interrupted'
    if (typed === undefined || typed === 'q') return 'left'
    if (typed === '') return usual ?? 'left'
    const at = entries.findIndex(({ name }, nth) => typed === String(nth + 1) || typed === name)
    if (at !== -1) return at
  }
}
