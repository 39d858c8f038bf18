import type { Command } from 'commander'
import type { CommandContext } from '../context/command-context.ts'
import { addCommand } from './add-command.ts'
import { givenOptions } from './given-options.ts'
import { withHubOptions } from './hub-options.ts'

/** The commands that go back in the time of a run. Each loads what it needs when it is called. */
export function addTimeCommands(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  const command = (words: string, summary: string, json: string) =>
    withHubOptions(addCommand(farhand, context, words).summary(summary), json)

  command(
    'rewind [run]',
    'put a run back to an earlier point',
    'print one line of JSON, or one for each point',
  )
    .description(
      "Puts the files of a run back to how they were after an event, in every folder of the run, users' edits\n" +
        'included. Nothing is lost: replaced versions stay, and a rewind can be rewound. Without --to it lists the\n' +
        'points before each message. The current turn is cancelled first; queued messages stay. `.git` and ignored\n' +
        'files stay as they are.',
    )
    .option('--to <event>', 'go back to after this event')
    .option('--conversation', 'rewind the conversation of the agent, too')
    .option('--partial', 'even if some old contents are not stored any more')
    .option('--dry-run', 'only print what would be done')
    .option('--show', 'only show the changes, line by line')
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      `
List the points; rewind the files; rewind files and conversation:
  ${call} rewind run_4fJ2
  ${call} rewind run_4fJ2 --to 42
  ${call} rewind run_4fJ2 --to 42 --conversation`,
    )
    .action(async (run: string | undefined, _: unknown, command: Command) => {
      const { rewindCommand } = await import('../commands/rewind.ts')
      await rewindCommand(run, givenOptions(command), context)
    })

  command('fork [run]', 'begin a new run from a point of another one', 'print one line of JSON')
    .description(
      'Begins a new run with the files and the conversation that another run had after an event, or has now.\n' +
        'Its current turn, open questions and queued messages are not continued. The other run stays as it is.\n' +
        'Without a name it is the run of the working folder.',
    )
    .option('--from <event>', `after this event; \`${call} rewind\` lists some`)
    .option('--agent <id>', 'another agent than the other run has')
    .option('--title <title>', 'the title of a new task for it')
    .addHelpText('after', `\nTry another message from that point:\n  ${call} fork run_4fJ2 --from 42`)
    .action(async (run: string | undefined, _: unknown, command: Command) => {
      const { forkCommand } = await import('../commands/fork.ts')
      await forkCommand(run, givenOptions(command), context)
    })
}
