import { type Command, Option } from 'commander'
import type { CommandContext } from '../context/command-context.ts'
import { givenOptions } from './given-options.ts'
import { hubOption, stateOption, tokenOption } from './hub-options.ts'

export function addHandoffCommands(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  farhand
    .command('handoff [run]')
    .summary('have the agent of a run go on here, or in a sandbox')
    .description(
      'Has the agent of a run go on here, or in a sandbox of the hub: with its files, what it has committed and the same conversation. A turn that is under way comes to its end first. Whatever fails on the way, the run is where it was, or where it shall be; the same command again goes on.',
    )
    .addOption(new Option('--to <where>', 'where it shall work').choices(['here', 'cloud']))
    .option('--folder <folder>', 'where it works here; the one that has its files if you do not say')
    .option('--wait', 'wait for the end of a turn that is under way, and do not ask')
    .option('--cancel', 'cancel a turn that is under way, and do not ask')
    .option('--sandbox <kind>', 'what it shall work in: auto, bubblewrap or process')
    .addOption(
      new Option('--secrets <what>', 'files of a new folder that look like secrets').choices([
        'send',
        'leave-out',
      ]),
    )
    .addOption(hubOption())
    .addOption(tokenOption())
    .addOption(stateOption())
    .option('--json', 'print one line of JSON for each step')
    .showHelpAfterError(`Try \`${call} handoff --help\`.`)
    .addHelpText(
      'after',
      `
Without a run it is the one of the folder you are in. Your branch, HEAD and what is staged stay as they are: what the
agent has committed elsewhere is here under names of the run, as \`${call} commits\` says. What you have changed and not
committed counts, and goes along.
  ${call} handoff --to here
  ${call} handoff run_4fJ2 --to cloud --cancel`,
    )
    .action(async (run: string | undefined, _: unknown, command: Command) => {
      const { handoffCommand } = await import('../commands/handoff/handoff-command.ts')
      await handoffCommand(run, givenOptions(command), context)
    })
}
