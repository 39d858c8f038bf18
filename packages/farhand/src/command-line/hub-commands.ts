import type { Command } from 'commander'
import type { CommandContext } from '../context/command-context.ts'
import { givenOptions } from './given-options.ts'
import { stateOption } from './hub-options.ts'

export function addHubCommands(hub: Command, context: CommandContext): void {
  const call = context.called.farhand
  // Commander gives `--json` to `hub` from any position.
  const said = (command: Command) => ({ ...givenOptions(hub), ...givenOptions(command) })
  const command = (name: string, summary: string, description: string) =>
    hub
      .command(name)
      .summary(summary)
      .description(description)
      .addOption(stateOption())
      .option('--json', 'print one line of JSON')
      .addHelpText('after', `\nFor example:\n  ${call} hub ${name}`)
  command(
    'stop',
    'stop the hub that `run` has started here',
    'Stops the hub that was started here because there was no other one. Its runs and sandboxes stay as they are,\n' +
      'and the next command that needs it starts it again.',
  ).action(async (_: unknown, command: Command) => {
    const { hubStopCommand } = await import('../commands/local-hub/hub-stop-command.ts')
    await hubStopCommand(said(command), context)
  })
  command(
    'status',
    'say whether that hub runs, and where',
    'Says whether the hub that was started here runs, where it is, and where its data and its log are.',
  ).action(async (_: unknown, command: Command) => {
    const { hubStatusCommand } = await import('../commands/local-hub/hub-stop-command.ts')
    await hubStatusCommand(said(command), context)
  })
}
