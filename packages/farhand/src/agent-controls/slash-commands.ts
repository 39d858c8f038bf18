import { firstLine } from '../printing/shown-text.ts'
import type { AgentOffers } from './agent-offers.ts'

/** What can be typed besides messages, in the order in which help lists it. */
const commands: readonly (readonly [string, string])[] = [
  ['/steer <words>', 'says them into the turn that is under way'],
  ['/cancel', 'ends that turn (Ctrl-C offers it, too)'],
  ['/mode <mode>', 'changes the mode; /mode alone shows what is in force'],
  ['/model <model>', 'changes the model; /model alone lists them'],
  ['/set <what> <to>', 'changes anything else the agent has to set; /set alone lists it'],
  ['/more', 'shows all of what was folded (also Ctrl-O)'],
  ['/detach', 'leaves, and the run goes on (also Ctrl-C twice, or Ctrl-D)'],
  ['/close', 'ends the run'],
]

/** The names of our own commands. */
export const ownCommands: readonly string[] = [
  'help',
  ...commands.map(([words]) => words.slice(1).split(' ', 1)[0]!),
]

const slashed = (names: readonly string[]) => names.map((name) => `/${name}`).join(', ')

/** What can be typed besides a message, in a few lines. */
export function slashHelp({ commands: offered }: Pick<AgentOffers, 'commands'>): string {
  const lines = [
    'What you type is a message to the agent; it waits for its turn. Besides:',
    ...commands.map(([words, says]) => `  ${words.padEnd(18)}${says}`),
  ]
  const own = firstLine(slashed(offered.filter((name) => !ownCommands.includes(name))))
  if (own !== '') lines.push(`The agent's own: ${own}`)
  return lines.join('\n')
}

/** What there is instead, for a person who typed a command that neither we nor the agent know; null for all else. */
export function unknownCommandInWords(line: string, offers: Pick<AgentOffers, 'commands'>): string | null {
  const word = /^\/(\p{L}+)(?!\S)/u.exec(line)?.[1]
  if (word === undefined || offers.commands.some((name) => name.split(' ', 1)[0] === word)) return null
  return `There is no /${word}; nothing was sent. There are ${slashed(ownCommands)}.`
}

/** Every command that can be typed, ours first. */
export const slashCommandNames = ({ commands: offered }: Pick<AgentOffers, 'commands'>): string[] => [
  ...new Set([...ownCommands, ...offered.map((name) => name.split(' ', 1)[0]!)]),
]

/** What can stand behind one of our commands. */
export function slashCommandValues(command: string, { modes, options }: AgentOffers): string[] {
  if (command === 'mode') return [...modes.map(({ id }) => id), 'interactive', 'background']
  if (command === 'set') return options.map(({ id }) => id)
  const model = command === 'model' ? options.find(({ isModel }) => isModel) : undefined
  return model?.choices.map(({ value }) => String(value)) ?? []
}
