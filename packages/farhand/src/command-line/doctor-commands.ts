import type { Command } from 'commander'
import type { CommandContext } from '../context/command-context.ts'
import { givenOptions } from './given-options.ts'
import { hubOption, stateOption, tokenOption } from './hub-options.ts'

/** The command that says what works on this machine. */
export function addDoctorCommands(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  farhand
    .command('doctor')
    .summary('say what works here, what does not, and what to do')
    .description(
      'Looks at everything that runs depend on: Node, git, the hub, agents, sandboxes, the watcher of files, where\n' +
        'secrets and state are kept, and says of each whether it is fine, weak or broken, and what to do. It changes nothing.',
    )
    .addOption(hubOption())
    .addOption(tokenOption())
    .addOption(stateOption())
    .option(
      '--data <folder>',
      "verify a hub's data folder instead: its store, each line of its logs, each content",
    )
    .option('--json', 'print one line of JSON for each')
    .showHelpAfterError(`Try \`${call} doctor --help\`.`)
    .addHelpText(
      'after',
      `\nEnds with 1 if anything is broken:\n  ${call} doctor\n  ${call} doctor --json\n  ${call} doctor --data .farhand`,
    )
    .action(async (_: unknown, command: Command) => {
      const { data, json } = givenOptions(command) as { data?: string; json?: unknown }
      if (data !== undefined) {
        const { doctorDataCommand } = await import('../commands/doctor/data-command.ts')
        return await doctorDataCommand({ data, json }, context)
      }
      const { doctorCommand } = await import('../commands/doctor/doctor-command.ts')
      await doctorCommand(givenOptions(command), context)
    })
}
