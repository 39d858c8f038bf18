import type { CommandContext } from '../../context/command-context.ts'
import { cutToWidth } from '../lines/text-width.ts'
import { wrapWords } from '../printing/wrap-words.ts'
import { askOrStop } from '../prompts/ask-or-stop.ts'
import { waitForKey } from './wait-for-key.ts'

type Asked<Of extends string> = {
  question: string
  /** The answers by the key that gives them. Where the user types a line, the whole word counts too. */
  answers: Readonly<Record<string, Of>>
  /** The answer that Enter gives; null if Enter gives none. */
  usual: Of | null
}

/**
 * Asks the user a question that one key answers; where single keys cannot be read, it reads a line. Null if there is no
 * user to ask, or if they end the command.
 */
export async function askKey<Of extends string>(
  { question, answers, usual }: Asked<Of>,
  context: CommandContext,
): Promise<Of | null> {
  const terminal = await context.keyed?.()
  if (!terminal) return await asLine({ question, answers, usual }, context)
  // All rows but the last stay on the screen; the last one has the cursor and is replaced by the answer.
  const rows = wrapWords(question, terminal.size.columns - 1).split('\n')
  const last = cutToWidth(rows.at(-1) ?? '', terminal.size.columns - 1)
  for (const row of rows.slice(0, -1)) context.note(`${row}\n`)
  const pressed = await waitForKey<Of>(
    terminal,
    last,
    (key) => {
      if (key.is === 'interrupt') return 'interrupted'
      if (key.is === 'escape' || key.is === 'menu' || key.is === 'end-of-input') return 'left'
      if (key.is === 'enter') return usual === null ? null : { chosen: usual }
      const chosen = key.is === 'text' ? answers[key.text.toLowerCase()] : undefined
      return chosen === undefined ? null : { chosen }
    },
    context.stop,
  )
  const chosen = typeof pressed === 'string' ? null : pressed.chosen
  const letter = Object.keys(answers).find((one) => answers[one] === chosen)
  context.note(`${last}${letter ?? ''}\n`)
  return chosen
}

async function asLine<Of extends string>(
  { question, answers, usual }: Asked<Of>,
  context: CommandContext,
): Promise<Of | null> {
  for (;;) {
    const typed = (await askOrStop(question, context))?.trim().toLowerCase()
    if (typed === undefined) return null
    if (typed === '' && usual !== null) return usual
    const found = Object.entries(answers).find(([letter, word]) => typed === letter || typed === word)
    if (found) return found[1]
  }
}

/** Asks for yes or no; Enter is no. Null if there is no user to ask. */
export async function askYesNo(question: string, context: CommandContext): Promise<boolean | null> {
  const answer = await askKey({ question, answers: { y: 'yes', n: 'no' }, usual: 'no' }, context)
  return answer === null ? null : answer === 'yes'
}
