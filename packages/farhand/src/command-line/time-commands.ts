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

  command('rewind [run]', 'put a run back to how it was', 'print one line of JSON, or one for each point')
    .description(
      'Puts the files of a run back to how they were after an event, in every folder of the run, edits of\n' +
        'people included. Nothing is lost: what it replaces stays, and a rewind can be rewound. Without --to it\n' +
        'lists the points before each message. A turn that is under way is cancelled first; messages that wait\n' +
        'stay. `.git` and ignored files stay as they are.',
    )
    .option('--to <event>', 'how it was after this event')
    .option('--conversation', 'the agent, too, goes on as if nothing had been said since')
    .option('--partial', 'even if not all of what was there is stored any more')
    .option('--dry-run', 'only say what would be done')
    .option('--show', 'only show it, line by line')
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      `
Where to, then the files alone, or the conversation with them:
  ${call} rewind run_4fJ2
  ${call} rewind run_4fJ2 --to 42
  ${call} rewind run_4fJ2 --to 42 --conversation`,
    )
    .action(async (run: string | undefined, _: unknown, command: Command) => {
      const { rewindCommand } = await import('../commands/rewind.ts')
      await rewindCommand(run, givenOptions(command), context)
    })

  command('fork [run]', 'begin a new run where another one was', 'print one line of JSON')
    .description(
      'Begins a new run with the files and the conversation that another one had after an event, or has now.\n' +
        'What was under way, asked or waiting there is not continued. The other run stays as it is. Without a\n' +
        'name it is the run of the folder you are in.',
    )
    .option('--from <event>', `after this event; \`${call} rewind\` lists some`)
    .option('--agent <id>', 'another agent than that of the other run')
    .option('--title <title>', 'makes it a task of its own')
    .addHelpText('after', `\nWhat if it had been asked otherwise:\n  ${call} fork run_4fJ2 --from 42`)
    .action(async (run: string | undefined, _: unknown, command: Command) => {
      const { forkCommand } = await import('../commands/fork.ts')
      await forkCommand(run, givenOptions(command), context)
    })
}
