import type { Command } from 'commander'
import type { CommandContext } from '../context/command-context.ts'
import { addCommand } from './add-command.ts'
import { givenOptions } from './given-options.ts'
import { withHubOptions } from './hub-options.ts'

export function addFinishCommands(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  const command = (words: string, summary: string) => addCommand(farhand, context, words).summary(summary)
  const access = (command: Command) => withHubOptions(command, 'print one line of JSON')

  access(
    command('commits [run]', 'list what an agent has committed, and take it')
      .description(
        'Lists the commits of an agent in a sandbox. They are in your repository as farhand/<run>/<branch>, ' +
          'and stay there when you unlink the folder; HEAD, your index and your branches have not moved. --take moves ' +
          'a branch of yours to where the agent has it, if it only has to go forward; no hook is run by that.',
      )
      .option('--take <branch>', 'have your branch of this name, or a new one, stand where the agent has it')
      .option('--drop', 'take the names of this run out of the repository again'),
  )
    .addHelpText(
      'after',
      `
In a linked folder, or with the id of a run in any clone of its repository:
  ${call} commits
  ${call} commits run_4fJ2 --take main
  git log farhand/run_4fJ2aBcD/main`,
    )
    .action(async (run: string | undefined, _: unknown, command: Command) => {
      const { commitsCommand } = await import('../commands/finish/commits-command.ts')
      await commitsCommand(run, givenOptions(command), context)
    })

  access(
    command('pr [run]', 'push what a run has done, and open a pull request')
      .description(
        "Pushes the agent's commits, and one of yours with what it has not committed, as a branch: with your " +
          'git, your credentials and your hooks. Then gh opens a pull request where it is installed and the remote ' +
          "is GitHub's; else the page on which to open one is printed, if one is known. Nothing is checked out, and " +
          'none of your branches moves. Said again, it adds what is new to the same branch.',
      )
      .option('--remote <name>', 'where to; as git would push if you do not say')
      .option('--branch <name>', 'the name there; farhand/... after what was asked for if you do not say')
      .option('--base <branch>', 'the branch that it is to be merged into')
      .option('--title <title>', 'of the pull request, and of the commit of yours')
      .option('--body <text>', 'what the pull request says')
      .option('--draft', 'open it as a draft')
      .option('--no-uncommitted', "only the agent's own commits")
      .option('--force-with-lease', 'replace what this run has pushed before, instead of adding to it')
      .option('--dry-run', 'only show what would be pushed')
      .option('--yes', 'do not ask'),
  )
    .addHelpText(
      'after',
      `\nIn a linked folder, or with the id of a run:\n  ${call} pr --dry-run\n  ${call} pr run_4fJ2 --draft --title "Fix the date"`,
    )
    .action(async (run: string | undefined, _: unknown, command: Command) => {
      const { prCommand } = await import('../commands/finish/pr-command.ts')
      await prCommand(run, givenOptions(command), context)
    })

  access(
    command('patch [run]', 'write what a run has done as a patch')
      .description(
        'Writes a patch of everything that is other than where the run began, committed or not, with modes, ' +
          'renames and binary files. With --commits it is a series, one patch for each commit of the agent.',
      )
      .option('-o, --output <file>', 'write it there')
      .option('--commits', 'one patch for each commit, for git am')
      .option('--no-uncommitted', "only the agent's own commits"),
  )
    .addHelpText(
      'after',
      `\nIn a linked folder, or with the id of a run:\n  ${call} patch > fix.patch      then: git apply fix.patch\n  ${call} patch run_4fJ2 --commits -o fix.mbox      then: git am fix.mbox`,
    )
    .action(async (run: string | undefined, _: unknown, command: Command) => {
      const { patchCommand } = await import('../commands/finish/patch-command.ts')
      await patchCommand(run, givenOptions(command), context)
    })
}
