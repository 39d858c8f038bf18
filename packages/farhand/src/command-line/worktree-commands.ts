import type { Command } from 'commander'
import type { CommandContext } from '../context/command-context.ts'
import { givenOptions } from './given-options.ts'
import { stateOption } from './hub-options.ts'

export function addWorktreeCommands(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  const worktree = farhand
    .command('worktree')
    .summary('the git worktrees in which runs work side by side')
    .showHelpAfterError(`Try \`${call} worktree --help\`.`)
    .addHelpText('after', help(call))
  const add = (words: string, summary: string, json: string) =>
    worktree
      .command(words)
      .description(summary)
      .addOption(stateOption())
      .option('--json', json)
      .addHelpText('after', help(call))

  add('ls', 'list the worktrees that were made for runs', 'print one line of JSON for each')
    .alias('list')
    .action(async (_: unknown, command: Command) => {
      const { listWorktrees } = await import('../commands/worktree/worktree-command.ts')
      await listWorktrees(givenOptions(command), context)
    })
  add('rm [folder]', 'remove the worktree of a run', 'print one line of JSON')
    .alias('remove')
    .option('--discard', 'even if files in it are not committed: they are lost')
    .action(async (folder: string | undefined, _: unknown, command: Command) => {
      const { removeWorktreeCommand } = await import('../commands/worktree/worktree-command.ts')
      await removeWorktreeCommand(folder, givenOptions(command), context)
    })
}

const help = (call: string) => `
A second run in a folder that another run has works in a worktree of its own, beside the repository. When the run is
closed and nothing in it is unsaved, it is removed; a branch with commits of its own stays:
  ${call} worktree ls
  ${call} worktree rm ~/my/project.worktrees/fix-the-parser`
