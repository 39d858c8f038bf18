import { type Command, Option } from 'commander'
import type { CommandContext } from '../context/command-context.ts'
import { addCommand } from './add-command.ts'
import { givenOptions } from './given-options.ts'
import { tokenOption, withHubOptions } from './hub-options.ts'

export function addAccountCommands(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  const command = (words: string, summary: string, description: string, examples: string) =>
    addCommand(farhand, context, words)
      .summary(summary)
      .description(description)
      .addOption(new Option('--state <folder>', 'where that is remembered (FARHAND_STATE)'))
      .option('--json', 'print one line of JSON')
      .addHelpText('after', `\n${examples}`)

  command(
    'login <link>',
    'sign in to a hub, once for all commands',
    'Remembers who you are at a hub, once the hub has said that it knows you: in the keychain of this system, or\n' +
      'in a file that only you can read. Without a token in the link it is asked for, or read from a pipe.',
    `With the link that the hub printed, or its address:\n  ${call} login 'https://hub.example/#token=fh_...'\n  ${call} login https://hub.example`,
  )
    .addOption(tokenOption())
    .action(async (link: string, _: unknown, command: Command) => {
      const { loginCommand } = await import('../commands/account/login-command.ts')
      await loginCommand(link, givenOptions(command), context)
    })

  command(
    'logout [hub]',
    'forget who you are at a hub',
    'Forgets the token for a hub. Folders that are linked to it stay as they are and wait until you sign in again.',
    `The only one, or by its address:\n  ${call} logout\n  ${call} logout https://hub.example`,
  ).action(async (hub: string | undefined, _: unknown, command: Command) => {
    const { logoutCommand } = await import('../commands/account/logout-command.ts')
    await logoutCommand(hub, givenOptions(command), context)
  })

  command(
    'bind <hub>',
    'bind this computer to a hub with your user name and password',
    'Gives this computer tokens of its own at a hub. They are stored like those of `login`, renew themselves, and end when\n' +
      'you revoke this computer, here or in the settings of the web app. Without a password at hand, --code shows a code\n' +
      'that you approve in the web app.',
    `Asks for the user name and the password, or takes the password from a pipe:\n  ${call} bind https://hub.example\n  ${call} bind https://hub.example --user ada < password.txt\nOn a computer without a browser:\n  ${call} bind https://hub.example --code`,
  )
    .option('--user <name>', 'your user name at the hub')
    .option(
      '--name <name>',
      'how this computer is called in the list of your devices; default: its host name',
    )
    .option('--code', 'show a code that you approve in the web app, in place of the password')
    .option(
      '--allow-http',
      'send the password over http to another machine: others in the network can read it',
    )
    .action(async (hub: string, _: unknown, command: Command) => {
      const { bindCommand } = await import('../commands/account/bind-command.ts')
      await bindCommand(hub, givenOptions(command), context)
    })

  addDevicesCommand(farhand, context)

  farhand
    .command('keychain', { hidden: true })
    .description('Asks the keychain of this system what standard input says, for other commands.')
    .action(async () => {
      const { keychainCommand } = await import('../commands/account/keychain-command.ts')
      await keychainCommand(context)
    })
}

function addDevicesCommand(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  const devices = farhand
    .command('devices')
    .summary('the computers that you have bound to a hub')
    .showHelpAfterError(`Try \`${call} devices --help\`.`)
    .addHelpText(
      'after',
      `
List them, and revoke one that you have lost or no longer use, by its name or its id:
  ${call} devices
  ${call} devices revoke old-laptop
A revoked computer has to be bound again. Browsers that were signed in from it are signed out, too.`,
    )
  withHubOptions(
    devices.command('list', { isDefault: true }).description('list your devices, the last used first'),
    'print one line of JSON',
  ).action(async (_: unknown, command: Command) => {
    const { listDevicesCommand } = await import('../commands/account/devices-command.ts')
    await listDevicesCommand(givenOptions(command), context)
  })
  withHubOptions(
    devices.command('revoke <device>').description('take away the tokens of a device, at once'),
    'print one line of JSON',
  ).action(async (device: string, _: unknown, command: Command) => {
    const { revokeDeviceCommand } = await import('../commands/account/devices-command.ts')
    await revokeDeviceCommand(device, givenOptions(command), context)
  })
}
