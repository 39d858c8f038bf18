import { type Command, Option } from 'commander'
import type { CommandContext } from '../context/command-context.ts'
import { givenOptions, repeatable } from './given-options.ts'
import { withHubOptions } from './hub-options.ts'

/** The commands about runs that a hub starts by itself. Each loads what it needs when it is called. */
export function addScheduleCommands(farhand: Command, context: CommandContext): void {
  const call = context.called.farhand
  const schedule = farhand
    .command('schedule')
    .summary('runs that the hub starts by itself, also while this machine is off')
    .showHelpAfterError(`Try \`${call} schedule --help\`.`)
    .addHelpText('after', addHelp(call))
  const add = (words: string, summary: string, json = 'print one line of JSON') =>
    withHubOptions(schedule.command(words).description(summary), json)
  const load = () => import('../commands/schedule/schedule-commands.ts')

  add('add <prompt>', 'have the hub start a run at a time, or again and again')
    .option('--at <time>', 'once, at this local time: 2026-01-31T09:00')
    .option('--every <time>', 'again and again, such as 30m, 2h or 1d')
    .option('--cron <fields>', 'by minute, hour, day, month, day of the week: "0 9 * * 1-5"')
    .option('--zone <zone>', 'the time zone of --at and --cron; default: the one of this machine')
    .option('--name <name>', 'what it is called; default: the beginning of the prompt')
    .option('--agent <id>', `one that \`${call} agents\` lists`)
    .option('--project <project>', 'its id or name; default: the project of the working folder')
    .option('--clone <url>', 'the repository that its runs begin with')
    .option('--ref <name>', 'the branch, tag or commit to clone')
    .addOption(
      new Option(
        '--catch-up <policy>',
        'due times while no hub was running: one run for all (latest), skip, all',
      ).choices(['skip', 'latest', 'all']),
    )
    .addOption(
      new Option('--overlap <policy>', 'while the run before is at work: skip, queue, allow').choices([
        'skip',
        'queue',
        'allow',
      ]),
    )
    .option('--until <time>', 'the last day or time: 2026-12-31')
    .option('--max-runs <number>', 'how many runs it may start')
    .option('--pause-after <number>', 'pause it after so many failures in a row; default: 5')
    .option('--callback <url>', 'call this address when a run ends, fails or is missed')
    .option('--callback-secret <text>', 'sign these calls with this')
    .option('--sandbox <kind>', 'the kind of sandbox: auto, bubblewrap or process')
    .option('--network <network>', 'the network of the sandbox: full, public, none, or hosts')
    .option('--setup <command>', 'run this in the sandbox first: "npm ci"')
    .option('--idle <time>', 'idle timeout after which a run falls asleep, such as 30m')
    .option('--secret <name>', 'a secret of the project for the environment; can be repeated', repeatable)
    .option('--remote <url>', 'a repository whose credentials the hub has; can be repeated', repeatable)
    .option('--memory <size>', 'memory limit, such as 4g')
    .option('--cpus <number>', 'processor limit')
    .option('--disk <size>', 'disk limit, such as 10g')
    .option('--processes <number>', 'process limit')
    .addHelpText('after', addHelp(call))
    .action(async (prompt: string, _: unknown, command: Command) => {
      const { addScheduleCommand } = await import('../commands/schedule/add-schedule.ts')
      await addScheduleCommand(prompt, givenOptions(command), context)
    })
  add('list', 'list your schedules, and when each is due next', 'print one line of JSON for each')
    .alias('ls')
    .action(async (_: unknown, command: Command) => {
      await (await load()).listSchedulesCommand(givenOptions(command), context)
    })
  add('show [schedule]', 'show a schedule, and its next three due times').action(
    async (said: string | undefined, _: unknown, command: Command) => {
      await (await load()).showScheduleCommand(said, givenOptions(command), context)
    },
  )
  add('pause [schedule]', 'start no more runs until it is resumed').action(
    async (said: string | undefined, _: unknown, command: Command) => {
      await (await load()).pauseScheduleCommand(said, true, givenOptions(command), context)
    },
  )
  add('resume [schedule]', 'start runs again, from its next due time on').action(
    async (said: string | undefined, _: unknown, command: Command) => {
      await (await load()).pauseScheduleCommand(said, false, givenOptions(command), context)
    },
  )
  add('run [schedule]', 'make it due now, also while it is paused').action(
    async (said: string | undefined, _: unknown, command: Command) => {
      await (await load()).runScheduleCommand(said, givenOptions(command), context)
    },
  )
  add('remove [schedule]', 'delete it; its runs stay')
    .alias('rm')
    .action(async (said: string | undefined, _: unknown, command: Command) => {
      await (await load()).removeScheduleCommand(said, givenOptions(command), context)
    })
  add('history [schedule]', 'what became of each due time, newest first', 'print one line of JSON for each')
    .option('--all', 'also older ones')
    .action(async (said: string | undefined, _: unknown, command: Command) => {
      await (await load()).scheduleHistoryCommand(said, givenOptions(command), context)
    })
}

const addHelp = (call: string) => `
The hub starts the runs, in its sandboxes and in background mode, so this machine may be off. Times:
  ${call} schedule add --cron "0 9 * * 1-5" --zone Europe/Berlin --clone <url> "update the dependencies"
  ${call} schedule add --every 2h --clone <url> "look for flaky tests"
  ${call} schedule add --at 2026-01-31T09:00 --max-runs 1 "write the report of the month"
A schedule is named by its name, its id, or the beginning of the id:
  ${call} schedule history sch_4fJ2`
