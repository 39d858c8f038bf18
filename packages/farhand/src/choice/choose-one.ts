import type { CommandContext } from '../context/command-context.ts'
import { paint } from '../printing/paint.ts'
import { askOrStop } from '../prompts/ask-or-stop.ts'
import { cutToWidth } from '../terminal/lines/text-width.ts'
import { type Choices, choiceStep, mostKeys } from './choice-step.ts'
import { waitForKey } from './wait-for-key.ts'

type List = {
  question: string
  /** What can be read of each, and by which name it can be chosen besides its number. */
  entries: readonly { says: string; name?: string }[]
  usual: number | null
}

/** Which of a list was chosen; or that somebody left it, or had the whole command stop, as with Ctrl-C. */
type Chosen = number | 'left' | 'interrupted'

/** Lets somebody choose from a list: with a key where each has one, else by number and Enter. */
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
  // In one row, as only one is wiped away.
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
