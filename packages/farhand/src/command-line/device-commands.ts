import { type Command, Option } from 'commander'
import type { CommandContext } from '../context/command-context.ts'
import { addCommand } from './add-command.ts'
import { givenOptions } from './given-options.ts'
import { hubOption, stateOption, tokenOption } from './hub-options.ts'

/** The commands about what goes on in the background of this machine. Each loads what it needs when it is called. */
export function addDeviceCommands(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  const state = () => new Option('--state <folder>', 'where linked folders are remembered (FARHAND_STATE)')
  const command = (name: 'pause' | 'resume', summary: string, description: string, all: string) =>
    addCommand(farhand, context, `${name} [folder]`)
      .summary(summary)
      .description(description)
      .addOption(state())
      .option('--all', all)
      .option('--json', 'print one line of JSON for each')
      .addHelpText(
        'after',
        `
The folder you are in, another one, or every one:
  ${call} ${name}
  ${call} ${name} ~/my/project
  ${call} ${name} --all`,
      )

  command(
    'pause',
    'stop keeping a folder in sync for a while',
    'Has a folder that is kept in sync in the background left alone until `resume`, also after a restart of\n' +
      'the machine. Nothing is lost meanwhile: what changes here and in the run meets then.',
    'every folder that is kept in the background',
  ).action(async (folder: string | undefined, _: unknown, command: Command) => {
    const { pauseCommand } = await import('../commands/device/pause-command.ts')
    await pauseCommand(folder, givenOptions(command), context)
  })

  command(
    'resume',
    'keep a paused folder in sync again',
    'Goes on with a folder that was paused, or that could not be kept in sync until you did something about it.',
    'every folder that was paused or has failed',
  ).action(async (folder: string | undefined, _: unknown, command: Command) => {
    const { resumeCommand } = await import('../commands/device/pause-command.ts')
    await resumeCommand(folder, givenOptions(command), context)
  })

  farhand
    .command('device', { hidden: true })
    // As commands of older versions call it.
    .alias('daemon')
    .description(
      'Keeps linked folders in sync until there is none; other commands start it when it is needed.',
    )
    .addOption(state())
    .action(async (_: unknown, command: Command) => {
      const { deviceCommand } = await import('../commands/device/device-command.ts')
      await deviceCommand(givenOptions(command), context)
    })
  addDoctorCommand(farhand, context)
}

/** The command that says what works on this machine. */
function addDoctorCommand(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  addCommand(farhand, context, 'doctor')
    .summary('say what works here, what does not, and what to do')
    .description(
      'Looks at everything that runs depend on: Node, git, the hub, agents, sandboxes, the watcher of files, where\n' +
        'secrets and state are kept, and says of each whether it is fine, weak or broken, and what to do. It changes nothing.',
    )
    .addOption(hubOption())
    .addOption(tokenOption())
    .addOption(stateOption())
    .option(
      '--data <folder>',
      "verify a hub's data folder instead: its store, each line of its logs, each content",
    )
    .option('--json', 'print one line of JSON for each')
    .addHelpText(
      'after',
      `\nEnds with 1 if anything is broken:\n  ${call} doctor\n  ${call} doctor --json\n  ${call} doctor --data .farhand`,
    )
    .action(async (_: unknown, command: Command) => {
      const { data, json } = givenOptions(command) as { data?: string; json?: unknown }
      if (data !== undefined) {
        const { doctorDataCommand } = await import('../commands/doctor/data-command.ts')
        return await doctorDataCommand({ data, json }, context)
      }
      const { doctorCommand } = await import('../commands/doctor/doctor-command.ts')
      await doctorCommand(givenOptions(command), context)
    })
}
