import { HubConfig } from '@farhand/hub/config/hub-config'
import type { Command } from 'commander'
import { hubCommand } from '../commands/hub/hub-command.ts'
import type { CommandContext } from '../context/command-context.ts'
import { givenOptions } from './given-options.ts'
import { settingOption, stateOption } from './hub-options.ts'
import { settingsOf } from './options/settings.ts'

/** `hub`, which starts a hub, and the commands about the user's own one. */
export function addHubCommand(farhand: Command, context: CommandContext): void {
  const settings = settingsOf(HubConfig)
  const secret = settings
    .filter(({ isSecret }) => isSecret)
    .map(({ env, description }) => `  ${env}\n      ${description}`)
    .join('\n')
  const hub = farhand
    .command('hub')
    .alias('start')
    .configureHelp({ ...farhand.configureHelp(), commandUsage: (one) => hubUsage(one, context) })
    .showHelpAfterError(`Try \`${context.called.hub} --help\`.`)
    .summary('start the hub: the server that keeps all runs')
    .description('Starts the hub and prints its address and how to sign in. Ctrl-C stops it.')
    .option('--json', 'print one line of JSON, {"url","token"}, once the hub answers')
    .addHelpText(
      'after',
      `\nEach setting can also be set in the environment: --log-level is FARHAND_LOG_LEVEL. Only in the environment:\n${secret}`,
    )
    .action((_, command: Command) => hubCommand(givenOptions(command), context))
  for (const setting of settings) if (!setting.isSecret) hub.addOption(settingOption(setting))
  addOwnHubCommands(hub, context)
}

const hubUsage = (one: Command, { called }: CommandContext) =>
  one.name() === 'hub' ? `${called.hub} [options]` : `${called.farhand} hub ${one.name()} [options]`

function addOwnHubCommands(hub: Command, context: CommandContext): void {
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
