import { firstLine } from '../printing/shown-text.ts'
import type { AgentOffers } from './agent-offers.ts'

/** The slash commands, in the order of the help. */
const commands: readonly (readonly [string, string])[] = [
  ['/steer <words>', 'adds them to the current turn'],
  ['/cancel', 'cancels the current turn (also in the Ctrl-C menu)'],
  ['/mode <mode>', 'changes the mode; /mode alone shows what is in force'],
  ['/model <model>', 'changes the model; /model alone lists them'],
  ['/set <what> <to>', 'changes another setting of the agent; /set alone lists them'],
  ['/more', 'shows the last folded output (also Ctrl-O)'],
  ['/detach', 'leaves, and the run goes on (also Ctrl-C twice, or Ctrl-D)'],
  ['/close', 'ends the run'],
]

export const ownCommands: readonly string[] = [
  'help',
  ...commands.map(([words]) => words.slice(1).split(' ', 1)[0]!),
]

const slashed = (names: readonly string[]) => names.map((name) => `/${name}`).join(', ')

/** The help text for what can be typed besides a message. */
export function slashHelp({ commands: offered }: Pick<AgentOffers, 'commands'>): string {
  const lines = [
    'What you type is a message to the agent; it waits for its turn. Besides:',
    ...commands.map(([words, says]) => `  ${words.padEnd(18)}${says}`),
  ]
  const own = firstLine(slashed(offered.filter((name) => !ownCommands.includes(name))))
  if (own !== '') lines.push(`The agent's own: ${own}`)
  return lines.join('\n')
}

/** The error for a slash command that neither farhand nor the agent knows; null for all other lines. */
export function unknownCommandInWords(line: string, offers: Pick<AgentOffers, 'commands'>): string | null {
  const word = /^\/(\p{L}+)(?!\S)/u.exec(line)?.[1]
  if (word === undefined || offers.commands.some((name) => name.split(' ', 1)[0] === word)) return null
  return `There is no /${word}; nothing was sent. There are ${slashed(ownCommands)}.`
}

/** All slash commands, farhand's first. */
export const slashCommandNames = ({ commands: offered }: Pick<AgentOffers, 'commands'>): string[] => [
  ...new Set([...ownCommands, ...offered.map((name) => name.split(' ', 1)[0]!)]),
]

/** The possible values of one of farhand's slash commands. */
export function slashCommandValues(command: string, { modes, options }: AgentOffers): string[] {
  if (command === 'mode') return [...modes.map(({ id }) => id), 'interactive', 'background']
  if (command === 'set') return options.map(({ id }) => id)
  const model = command === 'model' ? options.find(({ isModel }) => isModel) : undefined
  return model?.choices.map(({ value }) => String(value)) ?? []
}
