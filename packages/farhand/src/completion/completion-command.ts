import type { CommandContext } from '../context/command-context.ts'
import { type Shell, shellScript } from './shell-scripts.ts'

/** Prints the script for a shell. The command is called by its name: an alias, or a path, is nothing a shell can complete. */
export function completionCommand(shell: string, flags: { json?: boolean }, context: CommandContext): void {
  const script = shellScript(shell as Shell, nameOf(context))
  context.out(flags.json ? `${JSON.stringify({ shell, script })}\n` : script)
}

const nameOf = ({ called }: CommandContext) => (/^[\w-]+$/.test(called.farhand) ? called.farhand : 'farhand')
