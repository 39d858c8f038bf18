import { type Command, Option } from 'commander'
import type { CommandContext } from '../context/command-context.ts'
import { addCommand } from './add-command.ts'
import { givenOptions } from './given-options.ts'
import { withHubOptions } from './hub-options.ts'

/** The commands that let others see a run, or work in a project. Each loads what it needs when it is called. */
export function addSharingCommands(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  withHubOptions(
    addCommand(farhand, context, 'share [run]')
      .summary('show a run to others by a link that expires')
      .description(
        'Makes a link that shows one run, read only: its conversation and the files that its log names, and nothing else of the\n' +
          'project. Anyone who has the link can open it, without an account. Only the owner of a project can share its runs.',
      )
      .option('--days <days>', 'for how many days it works, 1 to 90 (default: 7)')
      .addOption(
        new Option('--list', 'list the links that still work, of this run or of all').conflicts('revoke'),
      )
      .option('--revoke <link>', 'revoke a link, by the id that --list shows; it works no more at once'),
    'print one line of JSON',
  )
    .addHelpText(
      'after',
      `
The run of this folder, for a week; then all links, and the end of one:
  ${call} share
  ${call} share --list
  ${call} share --revoke lnk_4fJ2`,
    )
    .action(async (run: string | undefined, _: unknown, command: Command) => {
      const { shareCommand } = await import('../commands/sharing/share-command.ts')
      await shareCommand(run, givenOptions(command), context)
    })
  addProjectCommands(farhand, context)
}

const projectHelp = (call: string) => `
Invite someone, who has to be a user of the same hub, and see who is in:
  ${call} project share Garden --role member
  ${call} project members Garden
  ${call} project remove Garden ada
The invited user opens the link in a browser, or joins with it:
  ${call} project join 'https://hub.example/#join=fhi_...'
A viewer reads the runs of a project. A member also starts runs, writes to their agents and answers questions: give that only to
people whom you would let use what your agents can reach, the project's secrets included.`

function addProjectCommands(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  const project = farhand
    .command('project')
    .summary('share a project with other users of a hub')
    .showHelpAfterError(`Try \`${call} project --help\`.`)
    .addHelpText('after', projectHelp(call))
  const add = (words: string, summary: string) =>
    withHubOptions(project.command(words).description(summary), 'print one line of JSON').addHelpText(
      'after',
      projectHelp(call),
    )
  const commands = () => import('../commands/sharing/project-commands.ts')

  add('share <project>', 'make an invitation; the link is shown once')
    .addOption(
      new Option('--role <role>', 'what they may do there').choices(['member', 'viewer']).default('viewer'),
    )
    .option('--days <days>', 'for how many days it works, 1 to 90 (default: 7)')
    .option('--uses <uses>', 'how many users may join with it, 1 to 100 (default: 1)')
    .action(async (named: string, _: unknown, command: Command) =>
      (await commands()).inviteCommand(
        named,
        { role: command.opts().role, ...givenOptions(command) },
        context,
      ),
    )
  add('invitations <project>', 'list the invitations that still work')
    .option('--revoke <invitation>', 'revoke one, by its id')
    .action(async (named: string, _: unknown, command: Command) =>
      (await commands()).invitationsCommand(named, givenOptions(command), context),
    )
  add('members <project>', 'list the users of a project').action(
    async (named: string, _: unknown, command: Command) =>
      (await commands()).membersCommand(named, givenOptions(command), context),
  )
  add('remove <project> <user>', 'remove a user, or leave: what they follow there ends at once').action(
    async (named: string, user: string, _: unknown, command: Command) =>
      (await commands()).removeCommand(named, user, givenOptions(command), context),
  )
  add('join <link>', 'join a project with an invitation').action(
    async (link: string, _: unknown, command: Command) =>
      (await commands()).joinCommand(link, givenOptions(command), context),
  )
}
