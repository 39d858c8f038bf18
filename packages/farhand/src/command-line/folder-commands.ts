import { type Command, Option } from 'commander'
import type { CommandContext } from '../context/command-context.ts'
import { addCommand } from './add-command.ts'
import { givenOptions } from './given-options.ts'
import { hubOption, tokenOption } from './hub-options.ts'

/** The commands about folders that are linked to runs. Each loads what it needs when it is called. */
export function addFolderCommands(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  const command = (words: string) => addCommand(farhand, context, words)
  const state = () =>
    new Option('--state <folder>', 'the folder that remembers linked folders (FARHAND_STATE)')
  const json = (what: string) => new Option('--json', what)
  const hub = (command: Command) => command.addOption(hubOption()).addOption(tokenOption()).addOption(state())

  const secretsOption = () =>
    new Option(
      '--secrets <what>',
      'what to do with files that look like secrets, when a folder is sent for the first time',
    ).choices(['send', 'leave-out'])

  hub(
    command('link <folder>')
      .summary('keep a folder in sync with a run')
      .description(
        'Keeps a folder and the files of a run the same, both ways, until Ctrl-C. Nothing is lost: each replaced\n' +
          'version is kept, and `restore` puts it back. `.git` and ignored files are not synced; .farhandignore counts\n' +
          'before .gitignore (!.env.local includes a file).',
      )
      .option('--run <run>', 'run_..., prj_.../tsk_.../run_..., or new; needed the first time only')
      .addOption(
        new Option(
          '--wins <side>',
          "which side wins when both change a file: disk for your own folder, log for the run's far side",
        ).choices(['disk', 'log']),
      )
      .option('--mine', "at the first sync: where both have a file, the folder's version counts")
      .option('--theirs', "at the first sync: where both have a file, the run's version counts")
      .addOption(
        new Option('--gone <what>', 'what to do when most files are gone from the folder').choices([
          'delete',
          'bring-back',
        ]),
      )
      .addOption(
        new Option('--head <what>', 'what to do when another commit is checked out').choices(['send']),
      )
      .option('--reopen', 'open the run again if it is closed')
      .option('--max-file <size>', 'do not sync larger files, in every folder of the run (default: 50M)')
      .addOption(secretsOption())
      .option('--background', 'keep it in sync in the background, also after this terminal is closed')
      .addOption(new Option('--kept', 'as daemons of earlier versions call it').hideHelp()),
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
        .option('--run <run>', 'another run than that of the linked folder; paths are then paths in the run'),
    )
      .addOption(json('print JSON'))
      .addHelpText('after', `\n${examples}`)

  ofRun(
    'history <path>',
    'list every version of a file',
    'Lists every version of a file in the log of its run, newest first, also of a deleted file.',
    `The state of a version:
  current    it is the file now
  replaced   a newer version, or a deletion, came after it
  deleted    the file was deleted here, until a newer version
  overruled  another version of the same time counts
  kept       it was on one disk only, and another version replaced it there
Each of them can be restored with \`${call} restore <path> <number>\`.

A path relative to the working folder:
  ${call} history ~/my/project/src/main.ts`,
  ).action(async (path: string, _: unknown, command: Command) => {
    const { historyCommand } = await import('../commands/history.ts')
    await historyCommand(path, givenOptions(command), context)
  })

  ofRun(
    'restore <path> [version]',
    'restore a version of a file',
    'Makes a version of a file the current one again, in every folder of the run. The replaced version\n' +
      'stays in the history. A version is a number in the list of `history`, or an event, such as @42. It also\n' +
      'works in the folder of a closed run.',
    `A path relative to the working folder; look first, then do it:
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
    'undo the newest step',
    'Undoes the newest step: a turn of an agent, or what one folder sent without a pause. Files that\n' +
      'another author has changed since stay as they are. The next undo goes further back, but never before the\n' +
      'files that the run began with. It also works in the folder of a closed run.',
    `In a linked folder, or with its path:\n  ${call} undo ~/my/project --dry-run\n  ${call} undo ~/my/project\n  ${call} undo ~/my/project --to 120    as it was after event 120`,
  )
    .option('--dry-run', 'only print what would be done')
    .option('--show', 'only show the changes, line by line')
    .option('--to <event>', 'put all files back to how they were after this event')
    .option('--yes', 'do not ask, even if most files go')
    .action(async (folder: string | undefined, _: unknown, command: Command) => {
      const { undoCommand } = await import('../commands/undo.ts')
      await undoCommand(folder, givenOptions(command), context)
    })

  command('links')
    .summary('list the linked folders of this machine')
    .description(
      'Lists the linked folders of this machine, their runs, and which of them a process keeps in sync now.',
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
      'A linked folder holds back a file if a rule from the run newly includes it, or if it appears later and looks\n' +
        'like a secret. This command sends such files; without a path it lists them.',
    )
    .addHelpText('after', `\nIn a linked folder:\n  ${call} allow\n  ${call} allow .env.test`)
    .addOption(
      new Option('--secrets <what>', 'in a named folder, also files that look like secrets').choices([
        'send',
      ]),
    )
    .addOption(state())
    .addOption(json('print JSON'))
    .action(async (paths: string[], _: unknown, command: Command) => {
      const { allowCommand } = await import('../commands/first-look/allow-command.ts')
      await allowCommand(paths, givenOptions(command), context)
    })

  command('unlink [folder]')
    .summary('forget a linked folder; its files and the run stay')
    .description('Forgets a linked folder. Its files and the run stay.')
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
