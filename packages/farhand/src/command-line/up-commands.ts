import type { Command } from 'commander'
import type { CommandContext } from '../context/command-context.ts'
import { addCommand } from './add-command.ts'
import { givenOptions } from './given-options.ts'
import { withHubOptions } from './hub-options.ts'

export function addUpCommands(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  const up = addCommand(farhand, context, 'up')
    .summary('open your runs in a browser, or on a phone')
    .description(
      'Prints a link that signs a browser in, once, and starts the hub if there is none. At a terminal `q` shows the link\n' +
        'as a QR code for a phone and `n` makes a new one; Ctrl-C leaves, and the hub goes on.',
    )
    .option('--qr', 'show the QR code at once')
    .option('--lan', 'let others in your network reach the hub that farhand started here, now and later')
    .option('--no-lan', 'reachable from this machine only')
  withHubOptions(up, 'print one line of JSON: where the hub is, the link, and until when it works')
    .addHelpText(
      'after',
      `
For example:
  ${call} up                a link for a browser on this machine
  ${call} up --lan --qr     and a QR code for a phone in the same network

A link works once, within ten minutes, so an old link signs no one in. Where you are signed in is listed in the
settings of the page, where each can be signed out. Notifications on a phone need https: put a server that has it in front,
and start the hub with --public-url https://its.address.`,
    )
    .action(async (_: unknown, command: Command) => {
      const { upCommand } = await import('../commands/up/up-command.ts')
      await upCommand(givenOptions(command), context)
    })
}
