import type { Command } from 'commander'
import type { CommandContext } from '../context/command-context.ts'
import { givenOptions } from './given-options.ts'
import { hubOption, stateOption, tokenOption } from './hub-options.ts'

export function addAttachCommands(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  farhand
    .command('attach [run] [prompt]')
    .summary('come back to a run, from here or another machine')
    .description(
      'Shows what has happened in a run since you looked last, or its newest turn, and goes on as `run` does.\n' +
        'Without a name it is the run of the folder you are in, or the only open one.',
    )
    .showHelpAfterError(`Try \`${call} attach --help\`.`)
    .option('--detach', 'say something and do not watch')
    .addOption(hubOption())
    .addOption(tokenOption())
    .addOption(stateOption())
    .option('--json', 'print every event of the run as a line of JSON')
    .addHelpText(
      'after',
      `
In the folder of the run, or by the beginning of its id, and with the next message:
  ${call} attach
  ${call} attach run_4fJ2 "and add tests"

On another machine that knows the hub you are asked whether the folder you are in, if it is empty or an unchanged clone
of the same repository, shall be kept in step too.`,
    )
    .action(async (run: string | undefined, prompt: string | undefined, _: unknown, command: Command) => {
      const { attachCommand } = await import('../commands/attach.ts')
      await attachCommand(run, prompt, givenOptions(command), context)
    })
}
