import { type Command, Option } from 'commander'
import { given } from '../given.ts'
import type { World } from '../world.ts'

/** The commands about what goes on in the background of this machine. Each loads what it needs when it is called. */
export function addDaemonCommands(farhand: Command, world: World): void {
  const call = world.called.farhand
  const state = () => new Option('--state <folder>', 'where linked folders are remembered (FARHAND_STATE)')
  const command = (words: string, summary: string, description: string, examples: string) =>
    farhand
      .command(words)
      .summary(summary)
      .description(description)
      .showHelpAfterError(`Try \`${call} ${words.split(' ')[0]} --help\`.`)
      .addOption(state())
      .addHelpText('after', `\n${examples}`)

  command(
    'pause [folder]',
    'stop keeping a folder in sync for a while',
    'Has a folder that is kept in sync in the background left alone until `resume`, also after a restart of\n' +
      'the machine. Nothing is lost meanwhile: what changes here and in the run meets then.',
    `The folder you are in, another one, or every one:\n  ${call} pause\n  ${call} pause ~/my/project\n  ${call} pause --all`,
  )
    .option('--all', 'every folder that is kept in the background')
    .option('--json', 'print one line of JSON for each')
    .action(async (folder: string | undefined, _: unknown, command: Command) => {
      const { pauseCommand } = await import('./pause-command.ts')
      await pauseCommand(folder, given(command), world)
    })

  command(
    'resume [folder]',
    'keep a paused folder in sync again',
    'Goes on with a folder that was paused, or that could not be kept in sync until you did something about it.',
    `The folder you are in, another one, or every one:\n  ${call} resume\n  ${call} resume ~/my/project\n  ${call} resume --all`,
  )
    .option('--all', 'every folder that was paused or has failed')
    .option('--json', 'print one line of JSON for each')
    .action(async (folder: string | undefined, _: unknown, command: Command) => {
      const { resumeCommand } = await import('./pause-command.ts')
      await resumeCommand(folder, given(command), world)
    })

  farhand
    .command('daemon', { hidden: true })
    .description(
      'Keeps linked folders in sync until there is none; other commands start it when it is needed.',
    )
    .addOption(state())
    .action(async (_: unknown, command: Command) => {
      const { daemonCommand } = await import('./daemon-command.ts')
      await daemonCommand(given(command), world)
    })
}
