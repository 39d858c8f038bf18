import { type Command, Option } from 'commander'
import type { CommandContext } from '../context/command-context.ts'
import { addCommand } from './add-command.ts'
import { givenOptions } from './given-options.ts'
import { tokenOption } from './hub-options.ts'

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

  farhand
    .command('keychain', { hidden: true })
    .description('Asks the keychain of this system what standard input says, for other commands.')
    .action(async () => {
      const { keychainCommand } = await import('../commands/account/keychain-command.ts')
      await keychainCommand(context)
    })
}
