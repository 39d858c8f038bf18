import { HubConfig } from '@farhand/hub/config/hub-config'
import type { Command } from 'commander'
import { addUserCommand, listUsersCommand, newTokenCommand, revokeCommand } from '../commands/user.ts'
import { passwordCommand, tokensCommand } from '../commands/user-account.ts'
import type { CommandContext } from '../context/command-context.ts'
import { givenOptions } from './given-options.ts'
import { settingOption } from './hub-options.ts'
import { settingsOf } from './options/settings.ts'

export function addUserCommands(farhand: Command, context: CommandContext): void {
  const user = farhand.command('user').summary('the users of the hub, and their tokens')
  const add = (words: string, summary: string, act: (name: string, command: Command) => Promise<void>) => {
    const command = user.command(words).description(summary).option('--json', 'print one line of JSON')
    const data = settingsOf(HubConfig).find((setting) => setting.key === 'data')
    if (data) command.addOption(settingOption(data))
    return command.action((...args) => act(String(args[0]), args.at(-1) as Command))
  }
  add('list', 'list the users of the hub', (_, command) => listUsersCommand(givenOptions(command), context))
  add('add <name>', 'add a user and print their token', (name, command) =>
    addUserCommand(name, givenOptions(command), context),
  )
  add('token <name>', 'make one more token for a user', (name, command) =>
    newTokenCommand(name, givenOptions(command), context),
  ).option('--days <days>', 'after how many days it expires; by default never')
  add(
    'tokens <name>',
    'list the tokens of a user: when made, last used, and when they expire',
    (name, command) => tokensCommand(name, givenOptions(command), context),
  )
  add('password <name>', 'set the password of a user, for the web app and for `bind`', (name, command) =>
    passwordCommand(name, givenOptions(command), context),
  ).option('--remove', 'take the password away')
  add('revoke <name>', 'revoke all tokens of a user, their devices and their password', (name, command) =>
    revokeCommand(name, givenOptions(command), context),
  ).option('--token <id>', 'only this one; `user tokens` shows the ids')
}
