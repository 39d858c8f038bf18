import type { CommandContext } from '../../context/command-context.ts'
import { type Shell, shellScript } from './shell-scripts.ts'

/** Prints the completion script for a shell. A shell can complete only a plain command name, no alias or path. */
export function completionCommand(shell: string, flags: { json?: boolean }, context: CommandContext): void {
  const script = shellScript(shell as Shell, nameOf(context))
  context.out(flags.json ? `${JSON.stringify({ shell, script })}\n` : script)
}

const nameOf = ({ called }: CommandContext) => (/^[\w-]+$/.test(called.farhand) ? called.farhand : 'farhand')
