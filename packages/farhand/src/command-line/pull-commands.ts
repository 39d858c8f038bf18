import type { Command } from 'commander'
import type { CommandContext } from '../context/command-context.ts'
import { addCommand } from './add-command.ts'
import { givenOptions } from './given-options.ts'
import { withHubOptions } from './hub-options.ts'

/** The commands that compare a folder with a run, or bring a run's files into it, without keeping both in sync. */
export function addPullCommands(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  const command = (words: string, summary: string, json: string) =>
    withHubOptions(addCommand(farhand, context, words).summary(summary), json)

  command('pull [words...]', "bring a run's files into a folder, once", 'print one line of JSON')
    .usage('[run] [paths...] [options]')
    .description(
      'Brings the files of a run as they are now into the folder you are in, once: for folders that are\n' +
        'not linked. What you have changed stays: files that both sides changed are named and left alone.\n' +
        'Only what was pulled before and is untouched is deleted. The next pull brings only what is new.',
    )
    .option('--into <folder>', 'another folder; it is made if it is not there')
    .option('--force', "take the run's file where both have changed; yours stays in its history")
    .option('--dry-run', 'only show what would be done')
    .addHelpText(
      'after',
      `
The whole run, then only a folder of it, later what is new:
  ${call} pull run_4fJ2 --into ~/copy
  ${call} pull run_4fJ2 src --dry-run
  ${call} pull`,
    )
    .action(async (words: string[], _: unknown, command: Command) => {
      const { pullCommand } = await import('../commands/pull.ts')
      await pullCommand(words, givenOptions(command), context)
    })

  command('diff [words...]', 'show how a folder and a run differ', 'print one line of JSON for each file')
    .usage('[run] [paths...] [options]')
    .description(
      'Shows how the folder you are in and a run differ: - is here, + is the run, as if it were pulled.\n' +
        'With --from it is about the run alone: what has changed in it since an event, or between two.',
    )
    .option('--stat', 'a line for each file: how many lines come and go')
    .option('--name-only', 'only the names')
    .option('--from <event>', 'how the run was after this event, instead of this folder; 0 is its beginning')
    .option('--to <event>', 'with --from: how it was after this event, instead of now')
    .option('--exit-code', 'end with 1 if they differ')
    .addHelpText(
      'after',
      `
In a linked folder, or one that was pulled into; a folder of another run; what a turn has done:
  ${call} diff --stat
  ${call} diff run_4fJ2 src
  ${call} diff run_4fJ2 --from 42 --to 57`,
    )
    .action(async (words: string[], _: unknown, command: Command) => {
      const { diffCommand } = await import('../commands/diff.ts')
      await diffCommand(words, givenOptions(command), context)
    })
}
