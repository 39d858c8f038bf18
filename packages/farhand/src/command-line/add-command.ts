import type { Command, CommandOptions } from 'commander'
import type { CommandContext } from '../context/command-context.ts'

/** A command of farhand's; whoever calls it as it does not understand is told where its own help is. */
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
