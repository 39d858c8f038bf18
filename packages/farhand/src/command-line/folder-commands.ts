import { type Command, Option } from 'commander'
import type { CommandContext } from '../context/command-context.ts'
import { addCommand } from './add-command.ts'
import { givenOptions } from './given-options.ts'
import { hubOption, tokenOption } from './hub-options.ts'

/** The commands about folders that are linked to runs. Each loads what it needs when it is called. */
export function addFolderCommands(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  const command = (words: string) => addCommand(farhand, context, words)
  const state = () => new Option('--state <folder>', 'where linked folders are remembered (FARHAND_STATE)')
  const json = (what: string) => new Option('--json', what)
  const hub = (command: Command) => command.addOption(hubOption()).addOption(tokenOption()).addOption(state())

  const secretsOption = () =>
    new Option(
      '--secrets <what>',
      'files that look like secrets, when a folder is sent for the first time',
    ).choices(['send', 'leave-out'])

  hub(
    command('link <folder>')
      .summary('keep a folder in sync with a run')
      .description(
        'Keeps a folder and the files of a run the same, both ways, until Ctrl-C. Nothing is ever lost:\n' +
          'each version that gives way to another is kept, and `restore` puts it back. `.git` and what\n' +
          '.gitignore excludes stay where they are; .farhandignore has the last word (!.env.local takes it in).',
      )
      .option('--run <run>', 'run_..., prj_.../tsk_.../run_..., or new; needed the first time only')
      .addOption(
        new Option(
          '--wins <side>',
          'who wins when both change a file: disk for your own folder, log for the far side of the run',
        ).choices(['disk', 'log']),
      )
      .option('--mine', 'at the first meeting: where both have a file, the one of this folder counts')
      .option('--theirs', 'at the first meeting: where both have a file, the one of the run counts')
      .addOption(
        new Option('--gone <what>', 'whenever most files are gone from the folder').choices([
          'delete',
          'bring-back',
        ]),
      )
      .addOption(new Option('--head <what>', 'whenever another commit is checked out').choices(['send']))
      .option('--reopen', 'open the run again if it is closed')
      .option('--max-file <size>', 'leave larger files alone, in every folder of the run (50M at first)')
      .addOption(secretsOption())
      .option('--background', 'go on in the background, also when this terminal is closed')
      .addOption(new Option('--kept', 'it is in the background: say little').hideHelp()),
  )
    .addOption(json('print one line of JSON for everything that happens'))
    .addHelpText(
      'after',
      `
Two folders on one run, in two terminals:
  ${call} link ~/my/project --run new
  ${call} link /tmp/far-side --run run_... --wins log

Later, to go on where it stopped, here or without a terminal:
  ${call} link ~/my/project
  ${call} link ~/my/project --background`,
    )
    .action(async (folder: string, _: unknown, command: Command) => {
      const { linkCommand } = await import('../commands/link.ts')
      await linkCommand(folder, givenOptions(command), context)
    })

  const ofRun = (words: string, summary: string, description: string, examples: string) =>
    hub(
      command(words)
        .summary(summary)
        .description(description)
        .option('--run <run>', 'another run than that of the linked folder; paths are then those of the run'),
    )
      .addOption(json('print JSON'))
      .addHelpText('after', `\n${examples}`)

  ofRun(
    'history <path>',
    'list every version of a file',
    'Lists every version of a file that the log of its run knows, newest first, also of one that is gone.',
    `What the words say of a version:
  current    it is the file now
  replaced   something else came after it: another version, or that the file was deleted
  deleted    here the file was deleted, and there is none until a newer version
  overruled  somebody else changed the file at the same time, and theirs counts
  kept       it was on one disk only and gave way there
Each of them can be put back with \`${call} restore <path> <number>\`.

A path in a linked folder, from where you are:
  ${call} history ~/my/project/src/main.ts`,
  ).action(async (path: string, _: unknown, command: Command) => {
    const { historyCommand } = await import('../commands/history.ts')
    await historyCommand(path, givenOptions(command), context)
  })

  ofRun(
    'restore <path> [version]',
    'put a version of a file back',
    'Makes a version of a file the current one again, in every folder of the run. What it replaces\n' +
      'stays. A version is a number of the list that `history` shows, or an event, such as @42. It works in\n' +
      'the folder of a closed run, too.',
    `A path in a linked folder, from where you are; look first, then do it:
  ${call} restore src/main.ts 2 --show
  ${call} restore src/main.ts 2
  ${call} restore ~/my/project/src/main.ts@42`,
  )
    .option('--show', 'only show what it would change, line by line')
    .action(async (path: string, version: string | undefined, _: unknown, command: Command) => {
      const { restoreCommand } = await import('../commands/restore.ts')
      await restoreCommand(path, version, givenOptions(command), context)
    })

  ofRun(
    'undo [folder]',
    'take the newest step back',
    'Takes back what was done last: the turn of an agent, or what one folder sent without a pause.\n' +
      'Files that someone else has changed since are left alone. The next undo goes further back, but never\n' +
      'to the files that a run began with. It works in the folder of a closed run, too.',
    `In a linked folder, or with its path:\n  ${call} undo ~/my/project --dry-run\n  ${call} undo ~/my/project\n  ${call} undo ~/my/project --to 120    as it was after event 120`,
  )
    .option('--dry-run', 'only say what would be done')
    .option('--show', 'only show it, line by line')
    .option('--to <event>', 'put all files back to how they were after this event')
    .option('--yes', 'do not ask, even if most files go')
    .action(async (folder: string | undefined, _: unknown, command: Command) => {
      const { undoCommand } = await import('../commands/undo.ts')
      await undoCommand(folder, givenOptions(command), context)
    })

  command('links')
    .summary('list the folders that are linked on this machine')
    .description(
      'Lists the folders that are linked on this machine, to which run, and which of them run now.',
    )
    .addHelpText('after', `\nFor programs:\n  ${call} links --json`)
    .addOption(state())
    .addOption(json('print one line of JSON for each'))
    .action(async (_: unknown, command: Command) => {
      const { linksCommand } = await import('../commands/links.ts')
      await linksCommand(givenOptions(command), context)
    })

  command('allow [paths...]')
    .summary('send files that a linked folder holds back')
    .description(
      'A linked folder sends no file that a rule from the run has newly included, and none that appears\n' +
        'later and looks like a secret, before you say so. This does; without a path it lists them.',
    )
    .addHelpText('after', `\nIn a linked folder:\n  ${call} allow\n  ${call} allow .env.test`)
    .addOption(
      new Option('--secrets <what>', 'in a named folder, also what looks like a secret').choices(['send']),
    )
    .addOption(state())
    .addOption(json('print JSON'))
    .action(async (paths: string[], _: unknown, command: Command) => {
      const { allowCommand } = await import('../first-look/allow-command.ts')
      await allowCommand(paths, givenOptions(command), context)
    })

  command('unlink [folder]')
    .summary('forget a linked folder; its files and the run stay')
    .description('Forgets a linked folder. Its files stay, and so does everything in the run.')
    .addHelpText(
      'after',
      `\nOne that \`${call} links\` lists; without a name you choose:\n  ${call} unlink ~/my/project`,
    )
    .addOption(state())
    .addOption(json('print one line of JSON'))
    .action(async (folder: string | undefined, _: unknown, command: Command) => {
      const { unlinkCommand } = await import('../commands/links.ts')
      await unlinkCommand(folder, givenOptions(command), context)
    })
}
