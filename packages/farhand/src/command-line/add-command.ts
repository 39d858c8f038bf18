import type { Command, CommandOptions } from 'commander'
import type { CommandContext } from '../context/command-context.ts'

/** Adds a command to `farhand`; after a wrong call it names its own help. */
export function addCommand(
  farhand: Command,
  context: CommandContext,
  words: string,
  settings: CommandOptions = {},
): Command {
  const [name] = words.split(' ')
  return farhand
    .command(words, settings)
    .showHelpAfterError(`Try \`${context.called.farhand} ${name} --help\`.`)
}
