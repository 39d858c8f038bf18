import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Argument, type Command } from 'commander'
import { commandTree } from '../commands/completion/command-tree.ts'
import { type Shell, shellScript, shells } from '../commands/completion/shell-scripts.ts'
import type { CommandContext } from '../context/command-context.ts'
import { stateOption } from './hub-options.ts'

/** The commands by which a shell learns ours. Each loads what it needs when it is called. */
export function addCompletionCommands(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  farhand
    .command('completion')
    .summary('have Tab complete commands, options, runs and folders')
    .description(
      'Prints a script that teaches your shell to complete commands, options, runs, agents and folders.\n' +
        'It asks the command itself at every Tab, so that it need not be renewed.',
    )
    .addArgument(new Argument('<shell>', 'which one you use').choices(shells))
    .option('--json', 'print it as one line of JSON')
    .showHelpAfterError(`Try \`${call} completion --help\`.`)
    .addHelpText(
      'after',
      `
In every new shell, by a line in ~/.bashrc or ~/.zshrc (there after compinit), or a file of fish:
  source <(${call} completion bash)
  source <(${call} completion zsh)
  ${call} completion fish > ~/.config/fish/completions/farhand.fish`,
    )
    .action((shell: Shell, flags: { json?: boolean }) => {
      // A shell can complete only a plain command name, no alias or path.
      const script = shellScript(shell, /^[\w-]+$/.test(call) ? call : 'farhand')
      context.out(flags.json ? `${JSON.stringify({ shell, script })}\n` : script)
    })
  farhand
    .command('complete [words...]', { hidden: true })
    .description('Prints what the last of these words could become, for the scripts of shells.')
    .addOption(stateOption())
    .helpOption(false)
    .action(async (words: string[], flags: { state?: string }) => {
      const { completeCommand } = await import('../commands/completion/complete-command.ts')
      await completeCommand(commandTree(farhand), words, stateFolderPath(flags.state, context), context)
    })
  farhand
    .command('commands', { hidden: true })
    .description('Prints every command as JSON, for what is packed with an installation.')
    .action(() => context.out(`${JSON.stringify(commandTree(farhand))}\n`))
}
