import { Trouble } from '@farhand/device/trouble/trouble'
import type { CommandContext } from '../../context/command-context.ts'
import { chooseOne } from './choose-one.ts'

type Choice = {
  /** What the user has to name, in one word: "secret". */
  what: string
  among: readonly { name: string; says?: string }[]
  /** What to do if there is nothing to choose from. */
  none: string
  json: unknown
}

/** The given name, else the one that the user chooses from a list. Without a terminal it throws and lists the names. */
export async function nameOrChoice(
  given: string | undefined,
  choice: Choice,
  context: CommandContext,
): Promise<string> {
  if (given !== undefined) return given
  const { what, among, none, json } = choice
  if (among.length === 0) throw new Trouble('usage', `There is no ${what} to choose from.`, none)
  const question = `Which ${what}?`
  if (!context.ask || json) {
    const names = among.map(({ name }) => name).join(', ')
    throw new Trouble(
      'usage',
      `${question} There ${among.length === 1 ? 'is' : 'are'}: ${names}.`,
      'Name one.',
    )
  }
  const width = Math.max(...among.map(({ name }) => name.length))
  const entries = among.map(({ name, says }) => ({
    name,
    says: says === undefined ? name : `${name.padEnd(width)}  ${says}`,
  }))
  const at = await chooseOne({ question, entries, usual: null }, context)
  const chosen = typeof at === 'number' ? among[at] : undefined
  if (chosen) return chosen.name
  throw new Trouble(
    at === 'interrupted' ? 'interrupted' : 'usage',
    `No ${what} was chosen, and nothing was done.`,
    'Name one.',
  )
}
