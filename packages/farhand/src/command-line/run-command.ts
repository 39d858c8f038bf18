import { missingPackage } from '@farhand/device/trouble/missing-package'
import { Command, CommanderError, Help } from 'commander'
import { commandTree } from '../commands/completion/command-tree.ts'
import type { CommandContext } from '../context/command-context.ts'
import { version } from '../context/version.ts'
import { harmless } from '../terminal/printing/shown-text.ts'
import { addCommands } from './add-commands.ts'
import { exitCodes } from './errors/exit-codes.ts'
import { reportedInJson } from './errors/with-json-errors.ts'
import { addExamples } from './help/add-examples.ts'
import { allPage, firstPage } from './help/first-page.ts'
import { helpProse } from './help/help-prose.ts'

/** Runs one command line and returns its exit code; throws Trouble, or an unexpected error. */
export async function runCommand(args: readonly string[], given: CommandContext): Promise<number> {
  const context = forTerminal(given)
  const farhand = commandFor(context)
  const json = args.includes('--json')
  if (args.join(' ') === 'help all') {
    context.out(allPage(commandTree(farhand), context.called.farhand))
    return exitCodes.fine.code
  }
  try {
    await reportedInJson({ json }, context, async () => {
      const words = withoutUselessHelp(withHelpAsFlag(args), farhand)
      await farhand.parseAsync(words, { from: 'user' }).catch((error: unknown) => {
        throw missingPackage(error) ?? error
      })
    })
    return exitCodes.fine.code
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    // Commander has already printed the help, the version, or what is wrong with the words it was given.
    return error.exitCode === 0 ? exitCodes.fine.code : exitCodes.usage.code
  }
}

/** The same context, but control characters in the output do not reach a terminal; a pipe gets every byte as it is. */
const forTerminal = (context: CommandContext): CommandContext => ({
  ...context,
  out: context.isPiped ? context.out : (text) => context.out(harmless(text)),
  note: context.terminal ? (text) => context.note(harmless(text)) : context.note,
  ask: context.ask && ((question, signal) => context.ask!(harmless(question), signal)),
})

/** Asked for the help of an unknown command, Commander would print the general help and report success. */
function withoutUselessHelp(args: readonly string[], farhand: Command): readonly string[] {
  const words = args[0] === 'help' ? args.slice(1) : args
  let command = farhand
  for (const word of words) {
    if (word.startsWith('-') || command.commands.length === 0) return args
    const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word))
    if (!next && word !== 'help') return words.filter((other) => !['-h', '--help', 'help'].includes(other))
    if (!next) return args
    command = next
  }
  return args
}

// Commander knows the word `help` only for commands with subcommands, but users type `npm start -- help`.
const withHelpAsFlag = (args: readonly string[]) =>
  ['hub', 'start'].includes(args[0] ?? '') && args[1] === 'help' ? [args[0] as string, '--help'] : args

const widest = 100
// No wider than the window, and no wider than is easy to read.
const helpWidth = () => Math.min(widest, process.stdout.columns || widest)

/** A description in one line, to be wrapped at the width of the window, with a capital letter and a full stop. */
function sentence(text: string): string {
  const flat = text.replace(/\s*\n\s*/g, ' ')
  const whole = flat === '' || /[.:!?]$/.test(flat) ? flat : `${flat}.`
  return whole.charAt(0).toUpperCase() + whole.slice(1)
}

/** The whole command line, with every command. */
export function commandFor(context: CommandContext): Command {
  const farhand = new Command(context.called.farhand)
    .description('Coding agents that work far away and feel at hand.')
    .version(version, '-V, --version')
    .configureOutput({
      // Only the text added after the help of a command begins with an empty line.
      writeOut: (text) => context.out(text.startsWith('\n') ? helpProse(text, helpWidth()) : text),
      writeErr: context.note,
      getOutHasColors: () => context.color,
      getOutHelpWidth: helpWidth,
    })
    .configureHelp({
      showGlobalOptions: false,
      minWidthToWrap: 20,
      commandDescription: (one: Command) => sentence(one.description()),
      formatHelp: (one, helper) => pageOf(one, helper, context.called.farhand),
    })
    .exitOverride()
    .showHelpAfterError(`Try \`${context.called.farhand} --help\`.`)

  addCommands(farhand, context)
  for (const when of ['preAction', 'postAction'] as const)
    farhand.hook(when, (_, command) => revive(command, context))
  addExamples(farhand, context.called.farhand)
  return farhand
}

/** Starts the device process again if it was killed, for instance by this command as it did not react. */
async function revive(command: Command, context: CommandContext): Promise<void> {
  const isAboutFolders = command.options.some(({ long }) => long === '--state')
  if (!isAboutFolders || ['device', 'runner'].includes(command.name())) return
  const [{ stateFolderPath }, { reviveUserDevice }] = await Promise.all([
    import('@farhand/device/state/state-folder-path'),
    import('../commands/link/ensure-user-device.ts'),
  ])
  reviveUserDevice(stateFolderPath(command.opts().state, context), context)
}

const pageOf = (command: Command, helper: Help, call: string) =>
  command.parent
    ? Help.prototype.formatHelp.call(helper, command, helper)
    : firstPage(commandTree(command), call)
