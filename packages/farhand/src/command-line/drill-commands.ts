import { type Command, Option } from 'commander'
import type { CommandContext } from '../context/command-context.ts'
import { givenOptions } from './given-options.ts'

/** The command that breaks things on purpose, and the one with which it compares files. */
export function addDrillCommands(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  farhand
    .command('drill')
    .summary('kill a working sandbox, and check that it comes back')
    .description(
      'Starts a hub of its own and a run on a throw-away repository, kills a part of it with SIGKILL in the middle of a turn, and shows that every file is the same by hash in the sandbox, the log and the folder, that the agent goes on and still knows what it was told, and how long each step took. Ends with 1 if anything differs.',
    )
    .addOption(
      new Option('--kill <what>', 'what is killed in each round')
        .choices(['runner', 'agent', 'sandbox', 'hub', 'random'])
        .default('sandbox'),
    )
    .option('--rounds <n>', 'the number of rounds', '1')
    .option('--agent <id>', `one that \`${call} agents\` lists; rehearsal needs no model`, 'rehearsal')
    .option('--sandbox <kind>', 'auto, bubblewrap or process', 'auto')
    .option('--seed <n>', 'repeat the random choices of an earlier drill')
    .option('--keep', 'keep its folder afterwards; one that fails is kept in any case')
    .option('--state <folder>', 'where agents of your own are listed (FARHAND_STATE)')
    .option('--json', 'print one line of JSON for each round')
    .showHelpAfterError(`Try \`${call} drill --help\`.`)
    .addHelpText(
      'after',
      `\nOnce, or more often and by chance:\n  ${call} drill\n  ${call} drill --kill random --rounds 20`,
    )
    .action(async (_: unknown, command: Command) => {
      const { drillCommand } = await import('../commands/drill/drill-command.ts')
      await drillCommand({ ...command.opts(), ...givenOptions(command) }, context)
    })
  farhand
    .command('tree <folder>', { hidden: true })
    .description('Prints mode, hash and path of every file, sorted.')
    .action(async (folder: string) => {
      const { folderTree } = await import('@farhand/device/drill/folder-tree')
      context.out(`${folderTree(folder).join('\n')}\n`)
    })
}
