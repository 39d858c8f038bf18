import type { Command, CommandOptions } from 'commander'
import type { World } from '../context/world.ts'

/** A command of farhand's; whoever calls it as it does not understand is told where its own help is. */
export function addCommand(
  farhand: Command,
  world: World,
  words: string,
  settings: CommandOptions = {},
): Command {
  const [name] = words.split(' ')
  return farhand
    .command(words, settings)
    .showHelpAfterError(`Try \`${world.called.farhand} ${name} --help\`.`)
}
